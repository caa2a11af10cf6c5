/**
 * Sanitises and analyses markup. Synchronous; run by the service itself, and by threads that it starts, so
 * that it imports little.
 */
import { type Analysis, analyse } from "./Analysis.ts"
import { Budget, Exceeded, type Limit } from "./Budget.ts"
import { filter } from "./Filter.ts"
import { type Fragment, parse, parseSanitised, write } from "./Fragment.ts"

const opening = "<body>"
const closing = "</body>"

/** A sanitised document and what is derived from it. */
export interface SanitisedText {
  readonly document: string
  readonly analysis: Analysis
}

/** The limit that a text exceeds. */
export interface ExceededLimit {
  readonly exceeded: Limit
}

export const isWrapped = (text: string): boolean =>
  text.length >= opening.length + closing.length && text.startsWith(opening) && text.endsWith(closing)

export const wrap = (content: string): string => opening + content + closing

/** What is in the body of a document; of other markup all. */
export const contentOf = (text: string): string =>
  isWrapped(text) ? text.slice(opening.length, -closing.length) : text

/**
 * Some badly nested markup changes when its repaired form is parsed (HTML standard, 13.3),
 * and so does markup from which elements were removed. It is therefore parsed until nothing
 * changes, which takes two or three times: the document is what every later parser reads,
 * and is its own sanitised form.
 */
const parseUntilStable = (
  markup: string,
  budget: Budget
): { readonly content: string; readonly fragment: Fragment } => {
  for (let content = markup; ; ) {
    const fragment = filter(parse(content, budget))
    const next = write(fragment)
    if (next === content) return { content, fragment }
    content = next
  }
}

/** Sanitises any input, HTML or plain text, in as many steps at most. */
export const sanitise = (input: string, steps: number): SanitisedText | ExceededLimit => {
  try {
    const { content, fragment } = parseUntilStable(contentOf(input.toWellFormed()), new Budget(steps))
    return { document: wrap(content), analysis: analyse(fragment) }
  } catch (error) {
    if (error instanceof Exceeded) return { exceeded: error.limit }
    throw error
  }
}

/** What is derived from a sanitised document. */
export const analyseDocument = (document: string): Analysis => analyse(parseSanitised(contentOf(document)))
