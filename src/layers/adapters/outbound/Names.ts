/** The addresses that name servers give for a name. */
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Context, Effect, Layer, Result } from "effect"
import type { Dns, NetAddress } from "effect/net"

export class Names extends Context.Service<
  Names,
  {
    /** The IPv4 and IPv6 addresses of a name, at least one. */
    readonly addressesOf: (name: string) => Effect.Effect<ReadonlyArray<NetAddress.IpAddress>, Dns.DnsError>
  }
>()("forum/layers/Names") {
  /**
   * Asks the name servers, not the system: its resolver blocks a thread for as long as a server does not answer, and
   * passwords are hashed on the same few threads. So the hosts file is not read.
   */
  static readonly live = Layer.effect(
    Names,
    Effect.map(NodeDns.make({ timeout: "2 seconds", tries: 2 }), (dns) =>
      Names.of({
        addressesOf: Effect.fnUntraced(function* (name) {
          const [v4, v6] = yield* Effect.all(
            [Effect.result(dns.resolve(name, "A")), Effect.result(dns.resolve(name, "AAAA"))],
            { concurrency: "unbounded" }
          )
          const found = [...Result.getOrElse(v4, () => []), ...Result.getOrElse(v6, () => [])]
          if (found.length === 0 && Result.isFailure(v4)) return yield* v4.failure
          return found.map(({ address }) => address)
        })
      })
    )
  )
}
