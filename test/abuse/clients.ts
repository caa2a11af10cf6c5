/** How attackers talk to a service: ordinary requests, and connections that misbehave. */
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import type { Target } from "./target.ts"

/** How long each attack lasts, in milliseconds. */
export const duration = 4000

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape, of which attacks read an id here and there.
  readonly json: any
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly agent?: Agent
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

/** Connections of another client than the attackers: they come from another address of this machine. */
export const somebodyElse = new Agent({ keepAlive: true, localAddress: "127.0.0.2" })

const bytesOf = (body: unknown) => {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}

/** Sends a request and reads its answer; a body that is neither text nor bytes is sent as JSON. */
export const call = (
  port: number,
  { agent: from = agent, body, headers = {}, method = "GET", path }: Call
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const bytes = bytesOf(body)
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: from,
        headers: {
          ...(bytes === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
          ...headers
        }
      },
      (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("error", reject)
        response.on("end", () => {
          const isJson = /json/.test(response.headers["content-type"] ?? "")
          const text = isJson ? Buffer.concat(parts).toString("utf8") : ""
          const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0]
          resolve({
            status: response.statusCode ?? 0,
            json: { ...(text === "" ? {} : JSON.parse(text)), cookie }
          })
        })
      }
    )
    sent.on("error", reject)
    sent.end(bytes)
  })

export const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** How often each status was answered; 0 stands for a connection that was closed. */
export type Statuses = ReadonlyMap<number, number>

/** Does something on so many connections, again when it is done, until time is up; counts the statuses that it answers. */
export const repeat = async (connections: number, one: (n: number) => Promise<number>): Promise<Statuses> => {
  const end = performance.now() + duration
  const statuses = new Map<number, number>()
  let begun = 0
  const loop = async () => {
    while (performance.now() < end) {
      const status = await one(begun++).catch(() => 0)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return statuses
}

/** Sends requests over so many connections, each the next when the last is answered, until time is up. */
export const flood = ({ port }: Target, connections: number, requestOf: (n: number) => Call) =>
  repeat(connections, async (n) => (await call(port, requestOf(n))).status)

/** A connection on which this is sent, and nothing is read. */
export const open = (port: number, sent: ReadonlyArray<string | Uint8Array>): Socket => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  socket.pause()
  for (const part of sent) socket.write(part)
  return socket
}

type Sent = (n: number) => ReadonlyArray<string | Uint8Array>

/** Opens raw connections that send this and read nothing, holds them until time is up, and closes them. */
export const hold = async ({ port }: Target, connections: number, sent: Sent) => {
  const sockets: Array<ReturnType<typeof open>> = []
  // A tenth at a time, as no network brings all of them at once.
  for (let n = 0; n < connections; n++) {
    sockets.push(open(port, sent(n)))
    if (n % Math.ceil(connections / 10) === 0) await wait(50)
  }
  await wait(duration)
  for (const socket of sockets) socket.destroy()
}

/** The same, and sends a part on each connection from time to time. */
export const trickle = async (
  { port }: Target,
  connections: number,
  { every, part, sent }: { readonly every: number; readonly part: Uint8Array; readonly sent: Sent }
) => {
  const sockets = Array.from({ length: connections }, (_, n) => open(port, sent(n)))
  const sending = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(part)
  }, every)
  await wait(duration)
  clearInterval(sending)
  for (const socket of sockets) socket.destroy()
}

/** Opens connections that take one byte of the answer from time to time. */
export const sip = async ({ port }: Target, connections: number, sent: Sent) => {
  const sockets = Array.from({ length: connections }, (_, n) => open(port, sent(n)))
  const sipping = setInterval(() => {
    for (const socket of sockets) socket.read(1)
  }, 50)
  await wait(duration)
  clearInterval(sipping)
  for (const socket of sockets) socket.destroy()
}

/** Opens connections that send this and close a moment later, without the answer; each is followed by another. */
export const leave = ({ port }: Target, connections: number, after: number, sent: Sent) =>
  repeat(connections, async (n) => {
    const socket = open(port, sent(n))
    await wait(after)
    socket.destroy()
    return 0
  })

export const get = (path: string, headers = "") =>
  `GET ${path} HTTP/1.1\r\nHost: forum.test\r\n${headers}\r\n`

export const post = (path: string, length: number, type: string, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: forum.test\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${headers}\r\n`
