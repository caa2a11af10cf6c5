/** How attackers talk to a service: ordinary requests, and connections that misbehave. */
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import type { Target } from "./target.ts"

/** How long each attack lasts, in milliseconds. */
export const duration = 1500

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

/** As a proxy forwards it: the service believes those who attack whom they come from, and then counts what they ask for. */
export const forwarded = (address: string) => ({ "x-forwarded-for": address })

/** Headers as of several networks, of which each one may run only some of its requests at the same time. */
export const fromMany = (n: number, headers: Readonly<Record<string, string>>) => ({
  ...headers,
  ...forwarded(`198.51.100.${n % 8}`)
})

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

/** A connection that was closed and 503 are none. */
const isAnswer = (status: number) => status > 0 && status < 500

/** For how long answers are waited for when time is up, in milliseconds. */
const patience = 600

/**
 * Does something on so many connections, again when it is done, until time is up; counts the statuses that it answers.
 * What takes much longer is given up, unless nothing but refusals has been answered.
 */
export const repeat = async (
  connections: number,
  one: (n: number, agent: Agent) => Promise<number>
): Promise<Statuses> => {
  const end = performance.now() + duration
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  let begun = 0
  let isOver = false
  const loop = async () => {
    while (performance.now() < end) {
      const status = await one(begun++, agent).catch(() => 0)
      if (!isOver) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const leaving = setInterval(() => {
    if (performance.now() < end + patience || !statuses.keys().some(isAnswer)) return
    isOver = true
    agent.destroy()
  }, 50)
  await Promise.all(Array.from({ length: connections }, loop))
  clearInterval(leaving)
  agent.destroy()
  return statuses
}

/** Sends requests over so many connections, each the next when the last is answered, until time is up. */
export const flood = ({ port }: Target, connections: number, requestOf: (n: number) => Call) =>
  repeat(connections, async (n, agent) => (await call(port, { agent, ...requestOf(n) })).status)

/** A connection on which this is sent, and nothing is read. */
export const open = (port: number, sent: ReadonlyArray<string | Uint8Array>): Socket => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  socket.pause()
  for (const part of sent) socket.write(part)
  return socket
}

type Sent = (n: number) => ReadonlyArray<string | Uint8Array>

/** What happens to connections that are open, and how often in milliseconds. */
interface Meanwhile {
  readonly every: number
  readonly each: (socket: Socket) => unknown
}

/** Opens connections that send this, a tenth at a time as networks bring them, and closes them when time is up. */
const openAll = async (port: number, connections: number, sent: Sent, { each, every }: Meanwhile) => {
  const sockets: Array<Socket> = []
  const working = setInterval(() => sockets.forEach(each), every)
  while (sockets.length < connections) {
    const more = Math.min(Math.ceil(connections / 10), connections - sockets.length)
    for (let n = 0; n < more; n++) sockets.push(open(port, sent(sockets.length)))
    await wait(50)
  }
  await wait(duration)
  clearInterval(working)
  for (const socket of sockets) socket.destroy()
}

/** Opens raw connections that send this and read nothing. */
export const hold = ({ port }: Target, connections: number, sent: Sent) =>
  openAll(port, connections, sent, { every: duration, each: () => {} })

/** The same, and sends a part on each connection from time to time. */
export const trickle = (
  { port }: Target,
  connections: number,
  { every, part, sent }: { readonly every: number; readonly part: Uint8Array; readonly sent: Sent }
) => openAll(port, connections, sent, { every, each: (socket) => socket.writable && socket.write(part) })

/** Opens connections that take one byte of the answer from time to time. */
export const sip = ({ port }: Target, connections: number, sent: Sent) =>
  openAll(port, connections, sent, { every: 50, each: (socket) => socket.read(1) })

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
