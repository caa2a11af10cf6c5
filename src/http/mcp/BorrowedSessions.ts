/**
 * Serves the versions of the protocol that have sessions without any for clients: nothing depends on what was said
 * before, so that every instance answers every message. The server of the library wants a session all the same, so each
 * message borrows one, which no other message has at the same time.
 */
import { Effect } from "effect"
import { Headers, HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Answers the request in scope. */
export type Answering = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

/** What clients speak that do not say it: the first version in which they have to. */
const unsaid = "2025-06-18"

/** The versions of the protocol that have sessions. */
const versions: ReadonlyArray<string> = [unsaid, "2025-11-25"]

/** How many sessions of each version wait to be borrowed; others end when they are given back. */
const idleMax = 16

const sessionHeader = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

// Not by `modify`: that reads the body of the connection again.
const withHeaders = (request: Request, change: (headers: Headers.Headers) => Headers.Headers): Request =>
  Object.create(request, { headers: { value: change(request.headers) } })

const withoutSession = (request: Request) => withHeaders(request, Headers.remove(sessionHeader))

/** A message of the service to its own server. */
const ownRequest = (like: Request, method: string, headers: Record<string, string>, body: string): Request =>
  Object.create(like.modify({ headers: Headers.fromInput(headers) }), {
    method: { value: method },
    text: { value: Effect.succeed(body) }
  })

const initialization = (version: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "forum", version: "1" } }
  })

/** Makes a function that lets the server of the library answer a message in a session of its own. */
export const makeBorrowing = (answering: Answering) => {
  const idle = new Map<string, Array<string>>(versions.map((version) => [version, []]))

  /** The whole answer to a request, with the headers that are added when it is sent. */
  const answerTo = (request: Request) =>
    Effect.gen(function* () {
      let sent = HttpServerResponse.empty({ status: 500 })
      const keep = (_: Request, response: Response) =>
        Effect.sync(() => {
          sent = response
        })
      yield* Effect.provideService(
        HttpEffect.toHandled(answering, keep),
        HttpServerRequest.HttpServerRequest,
        request
      )
      return sent
    })

  const begin = Effect.fnUntraced(function* (version: string, like: Request) {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const response = yield* answerTo(ownRequest(like, "POST", headers, initialization(version)))
    const session = response.headers[sessionHeader]
    return session ?? (yield* Effect.die(new Error(`No session of version ${version} began`)))
  })

  const giveBack = (version: string, session: string, like: Request) => {
    const waiting = idle.get(version)
    if (waiting !== undefined && waiting.length < idleMax) {
      return Effect.sync(() => {
        waiting.push(session)
      })
    }
    return answerTo(ownRequest(like, "DELETE", { [sessionHeader]: session }, ""))
  }

  /** Answers a message that began no session, in one that is borrowed. */
  const borrowing = (version: string, request: Request) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const waiting = idle.get(version)?.pop()
        return waiting === undefined ? begin(version, request) : Effect.succeed(waiting)
      }),
      // As a whole: what is sent of a session that has ended since is replaced by 404.
      (session) => answerTo(withHeaders(request, Headers.set(sessionHeader, session))),
      (session) => giveBack(version, session, request)
    )

  /** Answers the message that would begin a session; the client is given none. */
  const beginning = Effect.fnUntraced(function* (request: Request) {
    const response = yield* answerTo(withoutSession(request))
    const session = response.headers[sessionHeader]
    const version = response.headers[versionHeader]
    if (session !== undefined && version !== undefined) yield* giveBack(version, session, request)
    return HttpServerResponse.removeHeader(response, sessionHeader)
  })

  return (request: Request, isInitialize: boolean) => {
    if (isInitialize) return beginning(request)
    const version = request.headers[versionHeader] ?? unsaid
    return versions.includes(version)
      ? borrowing(version, request)
      : Effect.provideService(answering, HttpServerRequest.HttpServerRequest, withoutSession(request))
  }
}
