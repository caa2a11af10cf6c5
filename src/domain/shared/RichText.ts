/** Rich text: what people write, as HTML that is safe to show (specification 2, rich text). */
import { Schema } from "effect"
import { type Analysis, analyse as analyseFragment } from "./richtext/Analysis.ts"
import { escape, parse, sanitise } from "./richtext/Fragment.ts"

export { type Analysis, type Reference, ReferenceKind } from "./richtext/Analysis.ts"

const opening = "<body>"
const closing = "</body>"

const isWrapped = (text: string): boolean =>
  text.length >= opening.length + closing.length && text.startsWith(opening) && text.endsWith(closing)

/** A sanitised document, `<body>…</body>`. Of what clients send, only `fromHtml` makes one. */
export const RichText = Schema.String.check(
  Schema.makeFilter(isWrapped, { expected: "a document: <body>…</body>" })
)
  .pipe(Schema.brand("RichText"))
  .annotate({ description: "HTML made safe to show, always one `<body>` element" })
export type RichText = typeof RichText.Type

const wrap = (content: string): RichText => RichText.make(opening + content + closing)

/** A document without content. */
export const empty: RichText = wrap("")

/** Badly nested input takes two or three readings; more are not expected. */
const maxReadings = 8

/**
 * The document that any input stands for, be it HTML or plain text.
 *
 * Some badly nested markup changes again when its repaired form is read
 * (HTML standard, 13.3), so it is read until nothing changes: what is kept is
 * what every later parser sees, and is its own sanitised form.
 */
export const fromHtml = (input: string): RichText => {
  const text = input.toWellFormed()
  let content = isWrapped(text) ? text.slice(opening.length, -closing.length) : text
  for (let reading = 0; reading < maxReadings; reading++) {
    const next = sanitise(content)
    if (next === content) return wrap(content)
    content = next
  }
  return wrap(escape(analyseFragment(parse(content)).plaintext))
}

/** Everything that follows from a document, from one reading of it. */
export const analyse = (document: RichText): Analysis => analyseFragment(parse(document))

/** The document's text; neighbouring blocks are joined as they stand. */
export const plaintext = (document: RichText): string => analyse(document).plaintext

/** The document in at most 128 characters, for lists and previews. */
export const description = (document: RichText): string => analyse(document).description
