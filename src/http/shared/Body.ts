/** What is asked of a request body before it is decoded. */
import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { InvalidRequest, PayloadTooLarge } from "./RequestProblems.ts"

const mebibyte = 1024 * 1024

/** Largest bodies, in bytes. */
export const bodyLimit = { json: mebibyte, other: 50 * mebibyte }

// Far deeper than any client nests, and shallow enough for every recursive reader.
const maxDepth = 128

const isJson = (request: HttpServerRequest.HttpServerRequest) =>
  /^application\/json\b|^$/i.test(request.headers["content-type"] ?? "")

export const limitOf = (request: HttpServerRequest.HttpServerRequest): number =>
  isJson(request) ? bodyLimit.json : bodyLimit.other

const refuse = (message: string) =>
  Effect.die(new InvalidRequest({ metadata: { issues: [{ in: "body", path: "", message }] } }))

const isTooDeep = (json: string): boolean => {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (inString) {
      if (code === 92) i++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 91 || code === 123) {
      if (++depth > maxDepth) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}

const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/
const escapedSurrogate = /\\u[dD][89a-fA-F]/

/** Text that no database and no strict reader takes: NUL, and halves of characters. */
const hasUnstorableText = (json: string): boolean => {
  if (escapedNul.test(json) || json.includes("\0")) return true
  if (!escapedSurrogate.test(json)) return false
  try {
    return /\\ud[89a-f]/.test(JSON.stringify(JSON.parse(json)).replaceAll("\\\\", ""))
  } catch {
    return false
  }
}

const checkJson = (json: string): Effect.Effect<string> => {
  if (json === "") return Effect.succeed("{}")
  if (isTooDeep(json)) return refuse(`may be nested ${maxDepth} levels deep at most`)
  return hasUnstorableText(json)
    ? refuse("must not contain NUL characters or unpaired surrogates")
    : Effect.succeed(json)
}

/** A body that says of itself that it is too large is not read at all. */
const checkLength = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const maximum = limitOf(request)
  return Number(request.headers["content-length"] ?? 0) > maximum
    ? Effect.die(new PayloadTooLarge({ metadata: { maximum } }))
    : Effect.void
}

/**
 * Reads on if whoever waits gives up: a reader that is interrupted closes the
 * connection, and with it the way that the answer has to take.
 */
const kept = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/** The request as an operation reads it: no body counts as an empty object, and bodies no operation could keep are refused. */
const withCheckedText = (
  request: HttpServerRequest.HttpServerRequest
): HttpServerRequest.HttpServerRequest => {
  const read = Effect.andThen(checkLength(request), kept(request.text))
  return Object.create(request, {
    text: { get: () => (isJson(request) ? Effect.flatMap(read, checkJson) : read) }
  })
}

/** Holds the limits of a body while an app reads it; an app that reads none has none. */
export const withBodyLimits =
  (request: HttpServerRequest.HttpServerRequest) =>
  <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (request.method === "GET" || request.method === "HEAD") return app
    return app.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(limitOf(request))),
      Effect.provideService(HttpServerRequest.HttpServerRequest, withCheckedText(request))
    )
  }
