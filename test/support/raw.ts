/** Requests that no well-behaved client sends: any path, any header, bodies without a length. */
import { request as httpRequest, type IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { type Answer, isEndless, jsonOf } from "./answers.ts"
import { checkConformance } from "./conformance.ts"

export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sends the body in chunks, so that no header states its length. */
  readonly chunked?: boolean
}

const readAll = async (message: IncomingMessage, isEnough: boolean): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of message) {
    parts.push(part)
    if (isEnough) break
  }
  return Buffer.concat(parts).toString("utf8")
}

const flat = (headers: IncomingMessage["headers"]): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join("; ") : value])
  )

const toAnswer = (request: string, message: IncomingMessage, text: string): Answer => ({
  request,
  status: message.statusCode ?? 0,
  headers: flat(message.headers),
  text,
  json: jsonOf(message.headers["content-type"], text)
})

/** Sends one request to a port of this machine. */
export const sendTo = (
  port: number,
  { body, chunked = false, headers = {}, method = "GET", path }: RawRequest
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }, (message) => {
      readAll(message, isEndless(path, message.statusCode))
        .then((text) => toAnswer(`${method} ${path}`, message, text))
        .then(resolve, reject)
    })
    sent.on("error", reject)
    if (body !== undefined && !chunked) sent.setHeader("content-length", Buffer.byteLength(body))
    if (body !== undefined) sent.write(body)
    sent.end()
  })

/** The port on which the service in the test listens. */
export const port = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "UnixPathAddress" ? 0 : address.port
)

/** Sends one request to the service in the test. The answer must be as the API's description says. */
export const send = Effect.fnUntraced(function* (request: RawRequest) {
  const answer = yield* Effect.flatMap(port, (port) => Effect.promise(() => sendTo(port, request)))
  yield* Effect.sync(() => checkConformance(request.method ?? "GET", request.path, answer))
  return answer
})
