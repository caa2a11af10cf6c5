/** Checks request bodies before they are decoded: size and depth. */
import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerRequest, UrlParams } from "effect/http"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { InvalidRequest, PayloadTooLarge } from "../contract/RequestProblems.ts"
import { isDeeperThan } from "./JsonMarks.ts"
import type { RequestFacts } from "./RequestContext.ts"

// Far deeper than clients nest objects, and shallow enough for recursive parsers.
const maxDepth = 128

/** The largest body that is read as a whole, in bytes. */
const textMax = 1024 * 1024

/** Whether a body is read as JSON, which one without a type is. */
export const isJson = (request: HttpServerRequest.HttpServerRequest) =>
  /^application\/json\b|^$/i.test(request.headers["content-type"] ?? "")

const refuse = (message: string) =>
  dieWithProblem(new InvalidRequest({ metadata: { issues: [{ in: "body", path: "", message }] } }))

const checkJson = (json: string): Effect.Effect<string> => {
  if (json === "") return Effect.succeed("{}")
  return isDeeperThan(maxDepth, json)
    ? refuse(`may be nested ${maxDepth} levels deep at most`)
    : Effect.succeed(json)
}

/** Refuses a body that is too large by its `Content-Length`, before it is read. */
export const checkLength = (
  request: HttpServerRequest.HttpServerRequest,
  maximum: number
): Effect.Effect<void> =>
  Number(request.headers["content-length"] ?? 0) > maximum
    ? dieWithProblem(new PayloadTooLarge({ metadata: { maximum } }))
    : Effect.void

/**
 * Reads a body to its end even if the request is interrupted: an interrupted reader closes the connection, and then no
 * response can be sent.
 */
const kept = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/** The request, whose body is checked when it is read; no body counts as an empty JSON object. */
const withCheckedText = (
  request: HttpServerRequest.HttpServerRequest,
  facts: RequestFacts
): HttpServerRequest.HttpServerRequest => {
  const read = Effect.suspend(() => {
    // Operations that take larger bodies take them in parts.
    const maxBody = Math.min(facts.maxBody, textMax)
    const limited = Effect.provideService(
      request.text,
      HttpIncomingMessage.MaxBodySize,
      ByteSize.fromInputUnsafe(maxBody)
    )
    return Effect.andThen(checkLength(request, maxBody), facts.releasingPlaceWhile(kept(limited)))
  })
  return Object.create(request, {
    text: { get: () => (isJson(request) ? Effect.flatMap(read, checkJson) : read) },
    urlParamsBody: { get: () => Effect.map(read, (text) => UrlParams.fromInput(new URLSearchParams(text))) }
  })
}

/** Applies the limits while an app reads the body; a body that is not read is not checked. */
export const withBodyLimits =
  (request: HttpServerRequest.HttpServerRequest, facts: RequestFacts) =>
  <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    request.method === "GET" || request.method === "HEAD"
      ? app
      : Effect.provideService(app, HttpServerRequest.HttpServerRequest, withCheckedText(request, facts))
