import { Schema, SchemaGetter } from "effect"
import * as Text from "./Text.ts"

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

/** An address as it was sent, but for characters that addresses contain percent-encoded only. */
const asAddress = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : (URL.parse(text)?.href ?? text)

const lengthMax = 2000

// Also as it is stored: a character may take twelve when it is percent-encoded.
const isShort = Schema.makeFilter<string>((address) => Text.hasAtMost(address, lengthMax), {
  expected: `at most ${lengthMax.toLocaleString("en")} characters, percent-encoded`
})

/** A web address that is safe to show as a link: http or https. */
export const WebAddress = Text.verbatim({
  max: lengthMax,
  format: "uri",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?:",
  description: "An http or https address"
}).pipe(
  Schema.decodeTo(
    Schema.String.check(Schema.makeFilter(isWebAddress, { expected: "an http or https address" }), isShort),
    { decode: SchemaGetter.transform(asAddress), encode: SchemaGetter.passthrough<string>() }
  )
)
