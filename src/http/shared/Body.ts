/** Checks request bodies before they are decoded: size, depth, and text that cannot be stored. */
import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { InvalidRequest, PayloadTooLarge } from "./RequestProblems.ts"

const mebibyte = 1024 * 1024

/** The size limits of bodies, in bytes. */
export const bodyLimit = { json: mebibyte, other: 50 * mebibyte }

// Far deeper than clients nest objects, and shallow enough for recursive parsers.
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

/** Whether the text contains NUL or unpaired surrogates, which PostgreSQL and strict parsers refuse. */
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

/** Refuses a body that is too large by its `Content-Length`, before it is read. */
const checkLength = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const maximum = limitOf(request)
  return Number(request.headers["content-length"] ?? 0) > maximum
    ? Effect.die(new PayloadTooLarge({ metadata: { maximum } }))
    : Effect.void
}

/**
 * Continues to read when the request is interrupted: an interrupted reader
 * closes the connection, and then no response can be sent.
 */
const kept = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/** The request with a checked body, for which no body counts as an empty object. */
const withCheckedText = (
  request: HttpServerRequest.HttpServerRequest
): HttpServerRequest.HttpServerRequest => {
  const read = Effect.andThen(checkLength(request), kept(request.text))
  return Object.create(request, {
    text: { get: () => (isJson(request) ? Effect.flatMap(read, checkJson) : read) }
  })
}

/** Applies the limits while an app reads the body; a body that is not read is not checked. */
export const withBodyLimits =
  (request: HttpServerRequest.HttpServerRequest) =>
  <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (request.method === "GET" || request.method === "HEAD") return app
    return app.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(limitOf(request))),
      Effect.provideService(HttpServerRequest.HttpServerRequest, withCheckedText(request))
    )
  }
