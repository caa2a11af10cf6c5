/** What passes the proxy of a plugin, byte for byte, and what does not. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { type AddressInfo, connect, createServer as listen } from "node:net"
import { text } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { leadOutside } from "../../../src/layers/adapters/plugins/Egress.ts"

const listening = <Server extends ReturnType<typeof listen>>(server: Server) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await once(server.listen(0, "127.0.0.1"), "listening")
      const { port } = server.address() as AddressInfo
      return port
    }),
    () => Effect.sync(() => server.close())
  )

/** A host that may be reached, what it was asked with, and the proxy that leads there. */
const reachable = Effect.gen(function* () {
  const asked: Array<IncomingHttpHeaders> = []
  const far = yield* listening(
    createServer(({ headers, url }, answer) => {
      asked.push(headers)
      answer.end(`far away: ${url}`)
    })
  )
  const lead = leadOutside(["far.test"], {
    names: { addressesOf: () => Effect.succeed([NetAddress.ipFromStringUnsafe("127.0.0.1")]) },
    opened: [IpNetwork.fromStringUnsafe("127.0.0.1/32")]
  })
  const near = yield* listening(listen(lead))
  /** Sends a text with one write, and answers what comes until the end. */
  const sent = (content: string) =>
    Effect.promise(() => {
      const socket = connect({ port: near, host: "127.0.0.1" })
      socket.write(content)
      return text(socket)
    })
  return { asked, far, sent }
})

it.live("the proxy of a plugin keeps what is said to it, and passes on what is said to the host", () =>
  Effect.gen(function* () {
    const { asked, far, sent } = yield* reachable
    const own = "proxy-authorization: Basic c2VjcmV0\r\nproxy-connection: keep-alive\r\nte: trailers\r\n"
    const answer = yield* sent(
      `GET http://far.test:${far}/a?b HTTP/1.1\r\nhost: other.test\r\nx-own: yes\r\n${own}connection: close\r\n\r\n`
    )
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.include(answer, "far away: /a?b")
    const [headers] = asked
    assert.deepInclude(headers, { host: `far.test:${far}`, "x-own": "yes" })
    for (const name of ["proxy-authorization", "proxy-connection", "te"]) assert.notProperty(headers, name)
  }).pipe(Effect.scoped)
)

it.live("the proxy of a plugin passes on what is said to the host together with what is said to it", () =>
  Effect.gen(function* () {
    const { far, sent } = yield* reachable
    const request = "GET /early HTTP/1.1\r\nhost: far.test\r\nconnection: close\r\n\r\n"
    const answer = yield* sent(`CONNECT far.test:${far} HTTP/1.1\r\nhost: far.test\r\n\r\n${request}`)
    assert.include(answer, "far away: /early")
    const refused = yield* sent(`CONNECT other.test:${far} HTTP/1.1\r\nhost: far.test\r\n\r\n${request}`)
    assert.match(refused, /^HTTP\/1\.1 403 /)
    assert.notInclude(refused, "far away")
  }).pipe(Effect.scoped)
)
