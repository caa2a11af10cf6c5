/** Web servers on this machine, for what the service requests. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Answering = (request: Arrived, response: ServerResponse) => void

interface Certificate {
  readonly cert: string
  readonly key: string
}

const readBody = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** Starts a server on a free port for as long as the scope is open, and keeps what arrives at it. */
export const serve = Effect.fnUntraced(function* (answer: Answering, certificate?: Certificate) {
  const arrived: Array<Arrived> = []
  const listener: RequestListener = (request, response) => {
    void readBody(request).then((body) => {
      const { headers, method = "", url = "" } = request
      const one = { method, url, headers, body }
      arrived.push(one)
      answer(one, response)
    })
  }
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  return { port, arrived } as const
})
