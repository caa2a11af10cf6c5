/** A proxy by which a plugin reaches hosts on the internet: those that it was allowed to, and public ones only. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { decideDial, type OpenedNetworks } from "../../../domain/outbound/OutboundRules.ts"
import type { Names } from "../outbound/Names.ts"
import { join } from "./Doors.ts"

export interface Outside {
  readonly names: Names["Service"]
  readonly opened: OpenedNetworks
}

// A name server or a host that does not answer.
const connectMillis = 10_000

// A connection over which nothing goes.
const idleMillis = 5 * 60_000

/** Why a plugin is not led to a host. */
class Refusal extends Error {
  readonly status: 403 | 502
  constructor(status: 403 | 502, message: string) {
    super(message)
    this.status = status
  }
}

const addressesOf = async (
  host: string,
  { names }: Outside
): Promise<ReadonlyArray<NetAddress.IpAddress>> => {
  const address = NetAddress.ipFromString(host)
  if (Result.isSuccess(address)) return [address.success]
  const found = await Effect.runPromise(Effect.result(names.addressesOf(host)))
  if (Result.isFailure(found)) throw new Refusal(502, `The name ${host} is not known`)
  return found.success
}

/** An address of a host, if the plugin may reach it, and all its addresses may be reached. */
const addressFor = async (url: URL, port: number, hosts: ReadonlySet<string>, outside: Outside) => {
  const host = url.hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase()
  if (!hosts.has(host)) throw new Refusal(403, `This plugin may not reach ${host}`)
  const found = await addressesOf(host, outside)
  const [address] = found
  if (address === undefined || found.some((one) => decideDial(one, port, outside.opened) !== "dial"))
    throw new Refusal(403, `${host} is not on the public internet, or at a port of another protocol`)
  return NetAddress.formatIp(address)
}

const dial = (host: string, port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectMillis })
    const failed = () => {
      socket.destroy()
      reject(new Refusal(502, "It does not answer"))
    }
    socket.once("timeout", failed).once("error", failed)
    socket.once("connect", () => {
      socket.off("timeout", failed).off("error", failed)
      socket.setTimeout(idleMillis, () => socket.destroy())
      resolve(socket)
    })
  })

const refusalOf = (error: unknown) =>
  error instanceof Refusal ? error : new Refusal(502, "The request cannot be passed on")

// What belongs to the connection with the proxy.
const ofTheHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "upgrade"
])

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheHop.has(name)))

/** Passes connections of a plugin on, as a proxy of HTTP does. */
export const leadOutside = (allowed: ReadonlyArray<string>, outside: Outside) => {
  const hosts = new Set(allowed)

  const tunnel = async (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = URL.parse(`https://${asked.url}`)
    if (url === null) throw new Refusal(403, "It is no address")
    const port = Number(url.port === "" ? 443 : url.port)
    const far = await dial(await addressFor(url, port, hosts, outside), port)
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    if (head.length > 0) far.write(head)
    join(asked.socket, far)
  }

  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    const url = URL.parse(asked.url ?? "")
    if (url?.protocol !== "http:") throw new Refusal(403, "It is no address")
    const port = Number(url.port === "" ? 80 : url.port)
    const host = await addressFor(url, port, hosts, outside)
    const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
    const sent = request(
      {
        host,
        port,
        path: `${url.pathname}${url.search}`,
        method: asked.method ?? "GET",
        headers: { ...headersOf(asked), host: url.host },
        agent: false,
        timeout: connectMillis
      },
      resolve
    )
    sent.once("timeout", () => sent.destroy()).on("error", reject)
    answer.once("close", () => sent.destroy())
    asked.pipe(sent)
    const came = await promise
    answer.writeHead(came.statusCode ?? 502, headersOf(came))
    came.on("error", () => answer.destroy()).pipe(answer)
  }

  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: idleMillis }, (asked, answer) => {
    pass(asked, answer).catch((error) => {
      const { message, status } = refusalOf(error)
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(status, { "content-type": "text/plain" }).end(`${message}\n`)
    })
  })
  server.on("connect", (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {})
    tunnel(asked, socket, head).catch((error) => {
      const { message, status } = refusalOf(error)
      socket.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`
      )
    })
  })
  return (socket: Socket) => {
    server.emit("connection", socket)
  }
}
