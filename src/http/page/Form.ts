/** The fields of a form as browsers send it. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidRequest, UnsupportedMediaType } from "../contract/RequestProblems.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The largest form, in bytes: a password of the greatest length has 90,000 when it is percent-encoded. */
export const formMax = 128 * 1024

/** What was entered in a field: an empty text if nothing was, or if there is no such field. */
export type Form = (name: string) => string

/** The status of a form that was understood, but that says what is not right. */
export const formRefused = 422

const formType = /^application\/x-www-form-urlencoded *(;|$)/i

const invalid = (message: string) =>
  new InvalidRequest({ metadata: { issues: [{ in: "body", path: "", message }] } })

/** Reads the form that a request sends. */
export const readForm = Effect.fnUntraced(function* (request: Request) {
  const content_type = request.headers["content-type"] ?? ""
  if (!formType.test(content_type)) return yield* new UnsupportedMediaType({ metadata: { content_type } })
  // The pipeline knows what went wrong, such as that there is too much.
  const fields = new URLSearchParams(yield* Effect.orDie(request.text))
  const names = [...fields.keys()]
  // Of two, programs before this one may have read the other.
  if (new Set(names).size !== names.length) return yield* invalid("Expected each field once")
  const form: Form = (name) => fields.get(name) ?? ""
  return form
})
