/**
 * HTML that is safe by the way it is made: what stands in a template is taken as it is, and what is filled in is escaped,
 * unless it was made by a template itself.
 */
import { toLine } from "../../domain/field/Text.ts"

const escape = (text: string) => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

class Piece {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** A piece of HTML. Only `html` makes one. */
export type Html = Piece

type Part = Html | string | number | undefined | ReadonlyArray<Html>

const written = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Piece) return part.toString()
  return typeof part === "object" ? part.map(String).join("") : escape(String(part))
}

/** Makes a piece of HTML. Attributes have double quotes around what is filled in. */
export const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Piece(fixed.map((text, place) => `${text}${written(parts[place])}`).join(""))

/** Text in which what stands between backquotes is code. */
export const withCode = (text: string): Html =>
  html`${text.split("`").map((part, place) => (place % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`

/**
 * What others say of themselves, such as a name: in one line without invisible characters, and apart from the direction
 * in which the text around it is written.
 */
export const said = (text: string): Html => html`<bdi>${toLine(text)}</bdi>`
