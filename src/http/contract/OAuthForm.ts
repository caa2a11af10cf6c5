/** The forms in which clients of OAuth ask, and the headers of what they are answered. */
import { Redacted, Schema } from "effect"
import * as Text from "../../domain/field/Text.ts"
import { CacheControl, Pragma } from "./Headers.ts"

/** The largest form, in bytes: several times the longest token. */
export const maxForm = 16 * 1024

/** Characters of most fields, secrets included, and of that in which a client names itself. */
export const fieldMax = 512
export const clientIdMax = 2048

/** A field of a form. It may be absent or, which is the same, empty. */
export const formField = (description: string, max = fieldMax) =>
  Schema.optionalKey(Text.verbatim({ max, description }))

/** The field in which a client names itself. */
export const clientIdField = (description: string) => formField(description, clientIdMax)

/** The headers of an answer with secrets, which nobody keeps. */
export const notKeptHeaders = { "cache-control": CacheControl, pragma: Pragma }

/** A field of a form: an empty one is absent. */
export const given = (text: string | undefined): string | undefined => (text === "" ? undefined : text)

/** The same, for what must not appear in a log. */
export const givenSecret = (text: string | undefined): Redacted.Redacted | undefined => {
  const value = given(text)
  return value === undefined ? undefined : Redacted.make(value)
}
