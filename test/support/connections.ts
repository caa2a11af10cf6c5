/** The server of the deployment without the service, and clients of which a test decides what they send and read. */
import { once } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { BoundedServer } from "../../src/layers/connections/BoundedServer.ts"
import { defaultLimits, type Limits } from "../../src/layers/connections/Limits.ts"
import { make } from "../../src/layers/process/NodeServer.ts"

export interface Listening extends BoundedServer {
  readonly port: number
  /** The server's side of the next connection. */
  readonly accepted: () => Promise<Socket>
  readonly close: () => void
}

/** Listens on any free port. */
export const listen = async (limits: Partial<Limits> = {}): Promise<Listening> => {
  const nodeServer = make({ ...defaultLimits, ...limits })
  const { server } = nodeServer
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    ...nodeServer,
    port,
    accepted: () => inTime("nobody connects", new Promise((resolve) => server.once("connection", resolve))),
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** How long a test waits for what other events bring about. What does not come then does not come. */
const waitsFor = 15_000

/** Waits until something is true that other events bring about; fails if it is not true in time. */
export const until = async (isTrue: () => boolean): Promise<void> => {
  const end = performance.now() + waitsFor
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`It is not so after ${waitsFor / 1000} seconds: ${isTrue}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** What a promise comes to; fails, and says what has not happened, if it does not come in time. */
const inTime = async <A>(without: string, promise: Promise<A>): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`After ${waitsFor / 1000} seconds, ${without}`)), waitsFor)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export interface Client {
  readonly socket: Socket
  /** What has been received so far. It may be very much: tests that wait for it ask for its size or its end. */
  readonly received: () => string
  /** How many bytes that is. */
  readonly size: () => number
  /** Whether that ends with a text of at most a few thousand bytes. */
  readonly endsWith: (text: string) => boolean
  readonly closed: Promise<void>
}

// So much of the end of what a client receives is kept apart.
const endKept = 4096

/** A connection on which `sent` is sent. It reads what it receives unless it is paused. */
export const open = async (port: number, sent: string, localAddress = "127.0.0.1"): Promise<Client> => {
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  const parts: Array<string> = []
  let size = 0
  let end = ""
  socket.setEncoding("latin1").on("data", (part: string) => {
    parts.push(part)
    size += part.length
    end = (end + part).slice(-endKept)
  })
  socket.on("error", () => {})
  const closed = inTime(
    "the connection is open",
    new Promise<void>((resolve) => socket.once("close", () => resolve()))
  )
  // Not every test waits for it.
  closed.catch(() => undefined)
  await inTime("there is no connection", once(socket, "connect"))
  socket.write(sent)
  return {
    socket,
    received: () => parts.join(""),
    size: () => size,
    endsWith: (text) => end.endsWith(text),
    closed
  }
}

/** Everything received on a connection that sends `first`, and `next` when a response begins, until it is closed. */
export const exchange = async (
  port: number,
  first: string,
  next?: string,
  from?: string
): Promise<string> => {
  const { closed, received, socket } = await open(port, first, from)
  if (next !== undefined) {
    socket.on("data", (part: string) => {
      if (!/^connection: close$/im.test(part)) socket.write(next)
    })
  }
  await closed
  return received()
}

export const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

/** The answer to a request on a connection of its own. */
export const answerTo = (port: number, path: string, from?: string) =>
  exchange(port, get(path).replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"), undefined, from)

/** An application of which a test decides when it answers. */
export const pending = () => {
  const requests: Array<{ readonly request: IncomingMessage; readonly response: ServerResponse }> = []
  const application: RequestListener = (request, response) => requests.push({ request, response })
  return { requests, application }
}
