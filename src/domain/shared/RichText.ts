/** Rich text: HTML written by users, safe to show. */
import { Effect, Schema } from "effect"
import { type Analysis, analyse as analyseFragment } from "./richtext/Analysis.ts"
import { Budget, TooComplex } from "./richtext/Budget.ts"
import { filter } from "./richtext/Filter.ts"
import { type Fragment, parse, parseSanitised, write } from "./richtext/Fragment.ts"

export { type Analysis, type Reference, ReferenceKind } from "./richtext/Analysis.ts"
export { TooComplex } from "./richtext/Budget.ts"

const opening = "<body>"
const closing = "</body>"

const isWrapped = (text: string): boolean =>
  text.length >= opening.length + closing.length && text.startsWith(opening) && text.endsWith(closing)

/** A sanitised document, `<body>…</body>`. Input from clients becomes one by `fromHtml` or `read` only. */
export const RichText = Schema.String.check(
  Schema.makeFilter(isWrapped, { expected: "a document: <body>…</body>" })
)
  .pipe(Schema.brand("RichText"))
  .annotate({ description: "Sanitised HTML, always one `<body>` element" })
export type RichText = typeof RichText.Type

const wrap = (content: string): RichText => RichText.make(opening + content + closing)

/** A document without content. */
export const empty: RichText = wrap("")

interface Parsed {
  readonly document: RichText
  readonly fragment: Fragment
}

/**
 * Sanitises any input, HTML or plain text; throws `TooComplex`.
 *
 * Some badly nested markup changes when its repaired form is parsed (HTML standard, 13.3),
 * and so does markup from which elements were removed. It is therefore parsed until nothing
 * changes, which takes two or three times: the document is what every later parser reads,
 * and is its own sanitised form.
 */
const sanitise = (input: string): Parsed => {
  const budget = new Budget()
  const text = input.toWellFormed()
  let content = isWrapped(text) ? text.slice(opening.length, -closing.length) : text
  for (;;) {
    const fragment = filter(parse(content, budget))
    const next = write(fragment)
    if (next === content) return { document: wrap(content), fragment }
    content = next
  }
}

const attempt = <A>(evaluate: () => A): Effect.Effect<A, TooComplex> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      if (error instanceof TooComplex) return Effect.fail(error)
      throw error
    }
  })

/** The sanitised document of any input, HTML or plain text. */
export const fromHtml = (input: string): Effect.Effect<RichText, TooComplex> =>
  attempt(() => sanitise(input).document)

/** The sanitised document of any input and its analysis, for which it is not parsed again. */
export const read = (
  input: string
): Effect.Effect<{ readonly document: RichText; readonly analysis: Analysis }, TooComplex> =>
  attempt(() => {
    const { document, fragment } = sanitise(input)
    return { document, analysis: analyseFragment(fragment) }
  })

/** All values derived from a stored document. */
export const analyse = (document: RichText): Analysis => analyseFragment(parseSanitised(document))

/** The text of a document without markup; nothing is inserted between adjacent blocks. */
export const plaintext = (document: RichText): string => analyse(document).plaintext

/** The beginning of a document's text, at most 128 characters and three dots. */
export const description = (document: RichText): string => analyse(document).description
