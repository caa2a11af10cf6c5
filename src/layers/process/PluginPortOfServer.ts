/** The port at which this process answers, for the plugins that it runs. */
import { Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { PluginPort } from "../../domain/plugin/PluginRuntime.ts"

/** What a service listens at that is reached at 127.0.0.1. */
const reachedLocally: ReadonlySet<string> = new Set(["127.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1"])

/** Commands of the operator run no plugins, and answer nowhere. */
const nowhere = 0

export const layer = Layer.effect(
  PluginPort,
  Effect.map(Effect.serviceOption(HttpServer.HttpServer), (server) => {
    if (Option.isNone(server) || server.value.address._tag === "UnixPathAddress") return { port: nowhere }
    const { address, port } = server.value.address
    const host = NetAddress.formatIp(address)
    return reachedLocally.has(host) ? { port } : { port, host }
  })
)
