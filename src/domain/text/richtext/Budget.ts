/**
 * What reading one text may cost. Parsing is synchronous, so an expensive text would delay all other
 * requests. The numbers are measured: see docs/decisions/parse5.md.
 */

/** What reading a text may take. */
export const maxima = {
  /** How many characters of markup there may be. */
  size: 640 * 1024,
  /** How many steps the work on trees may take, over all readings of the text. */
  steps: 520_000,
  /** How many elements may be open when one with attributes begins. */
  depth: 512
}
export type Limit = keyof typeof maxima

/** Steps by what the parser creates. Moving a node is cheap, and no node is moved often. */
const cost = {
  /** A character to parse, or in an attribute. */
  character: 1 / 8,
  element: 6,
  /** An element whose name is not in the allow-list: parse5 keeps a table of such names. */
  unknownElement: 12,
  attribute: 8,
  comment: 6,
  /** A run of letters, or of white space. */
  text: 1
}

/** Thrown when a text exceeds a limit. */
export class Exceeded extends Error {
  readonly limit: Limit

  constructor(limit: Limit) {
    super(`A text exceeds the limit: ${limit}`)
    this.limit = limit
  }
}

/** Counts while a text is parsed, once or several times. Its methods throw `Exceeded` when a limit is exceeded. */
export class Budget {
  private steps: number
  private depth = 0

  constructor(steps: number) {
    this.steps = steps
  }

  /** Charges for a parse of markup, before it begins. */
  beginParse(markup: string): void {
    if (markup.length > maxima.size) throw new Exceeded("size")
    this.depth = 0
    // A parse costs something even if there is nothing to parse, so that their number is limited too.
    this.spend(1 + cost.character * markup.length)
  }

  /** Charges for an element with its attributes: parsers copy both where the element is not closed. */
  element(
    isKnown: boolean,
    attributes: ReadonlyArray<{ readonly name: string; readonly value: string }>
  ): void {
    this.spend(isKnown ? cost.element : cost.unknownElement)
    if (attributes.length === 0) return
    if (this.depth > maxima.depth) throw new Exceeded("depth")
    let characters = 0
    for (const { name, value } of attributes) characters += name.length + value.length
    this.spend(cost.attribute * attributes.length + cost.character * characters)
  }

  comment(): void {
    this.spend(cost.comment)
  }

  text(): void {
    this.spend(cost.text)
  }

  open(): void {
    this.depth++
  }

  close(): void {
    this.depth--
  }

  private spend(steps: number): void {
    this.steps -= steps
    if (this.steps < 0) throw new Exceeded("steps")
  }
}
