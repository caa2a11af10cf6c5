/** Checks the address of a request before its parameters are decoded. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { InvalidRequest } from "./RequestProblems.ts"

const message = "must not contain NUL characters"

/** Refuses NUL, which PostgreSQL cannot store in text, in the parts of the address that the operation reads. */
export const checkAddress = (
  request: HttpServerRequest.HttpServerRequest,
  { params, query }: HttpApiEndpoint.Top
): Effect.Effect<void> => {
  if (!request.url.includes("%00")) return Effect.void
  const [path = "", search] = request.url.split("?", 2)
  const issues = [
    ...(params !== undefined && path.includes("%00") ? [{ in: "path", path: "", message } as const] : []),
    ...(query !== undefined && search?.includes("%00") ? [{ in: "query", path: "", message } as const] : [])
  ]
  return issues.length === 0 ? Effect.void : Effect.die(new InvalidRequest({ metadata: { issues } }))
}
