/** What programs of plugins reach of the internet. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Schema } from "effect"
import { Dns, IpNetwork, NetAddress } from "effect/net"
import type { Outside } from "../../../src/layers/adapters/plugins/Egress.ts"
import { serve } from "../../support/web.ts"
import { runnerWith } from "./support.ts"

const Told = Schema.fromJsonString(
  Schema.Array(Schema.Tuple([Schema.String, Schema.Union([Schema.Number, Schema.String]), Schema.String]))
)

const named = (addresses: Readonly<Record<string, string | ReadonlyArray<string>>>): Outside => ({
  names: {
    addressesOf: (name) => {
      const found = addresses[name]
      return found === undefined
        ? Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname: name }))
        : Effect.succeed([found].flat().map((address) => NetAddress.ipFromStringUnsafe(address)))
    }
  },
  opened: [IpNetwork.fromStringUnsafe("127.0.0.1/32")]
})

describe("the network of a plugin", () => {
  it.live("leads to the service and to the hosts that it may reach, by the proxy that it is told of", () =>
    Effect.gen(function* () {
      const service = yield* serve((_, response) => response.end("the service"))
      const allowed = yield* serve((request, response) =>
        response.end(`${request.headers.host} ${request.url}`)
      )
      const outside = named({
        "allowed.test": "127.0.0.1",
        "private.test": "127.0.0.2",
        "both.test": ["127.0.0.1", "127.0.0.2"],
        "metadata.test": "169.254.169.254",
        "other.test": "127.0.0.1"
      })
      const { launch, linesOf } = yield* runnerWith({ outside })
      const at = (host: string) => `${host}:${allowed.port}`
      const pages = [
        `http://127.0.0.1:${service.port}/`,
        `http://${at("allowed.test")}/a?b=c`,
        `http://${at("ALLOWED.test.")}/`,
        `http://${at("other.test")}/`,
        `http://${at("private.test")}/`,
        "http://metadata.test/",
        `http://${at("unknown.test")}/`,
        `http://${at("both.test")}/`
      ]
      const tunnels = [
        at("allowed.test"),
        at("other.test"),
        at("private.test"),
        at("127.0.0.1"),
        "allowed.test:25"
      ]
      const { exited, id } = yield* launch(
        "node",
        ["asks.mjs", JSON.stringify(pages), JSON.stringify(tunnels)],
        {
          servicePort: service.port,
          hosts: ["allowed.test", "private.test", "both.test", "metadata.test", "unknown.test"]
        }
      )
      yield* exited
      const told = yield* Schema.decodeUnknownEffect(Told)((yield* linesOf(id))[0])
      const notPublic = (host: string) =>
        `${host} is not on the public internet, or at a port of another protocol\n`
      assert.deepStrictEqual<ReadonlyArray<ReadonlyArray<unknown>>>(told, [
        [pages[0], 200, "the service"],
        [pages[1], 200, `${at("allowed.test")} /a?b=c`],
        [pages[2], 200, `${at("allowed.test.")} /`],
        [pages[3], 403, "This plugin may not reach other.test\n"],
        [pages[4], 403, notPublic("private.test")],
        [pages[5], 403, notPublic("metadata.test")],
        [pages[6], 502, "The name unknown.test is not known\n"],
        [pages[7], 403, notPublic("both.test")],
        [tunnels[0], 200, `${at("allowed.test")} /`],
        [tunnels[1], 403, ""],
        [tunnels[2], 403, ""],
        [tunnels[3], 403, ""],
        // In a network that an operator opens, any port may be dialled; nothing listens at this one.
        [tunnels[4], 502, ""]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("is closed with the program, and its connections to the service are", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const service = yield* serve((_, response) => {
        response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        response.write("a part of an answer")
      })
      const { launch, linesUntil } = yield* runnerWith({})
      const script = `fetch("http://127.0.0.1:${service.port}/").then(() => process.stdout.write("connected\\n"))`
      const { exited, id, stop } = yield* launch("node", ["--eval", script], { servicePort: service.port })
      yield* linesUntil(id, "connected")
      yield* stop
      assert.strictEqual((yield* exited).text, "signal: interrupt")
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped)
  )
})
