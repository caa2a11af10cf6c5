/** What plugins may ask of the service on their connections. */
import { Effect, Option, Predicate } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { Deployment } from "../settings/Deployment.ts"
import { accessResult } from "./AccessResult.ts"
import { PluginBots } from "./PluginBots.ts"
import { type Frame, failureFrame, nestedFrame, resultFrame, rpcCodes } from "./PluginRpc.ts"
import { localHost, PluginPort } from "./PluginRuntime.ts"
import type { PluginSocket } from "./PluginSocket.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"

type Request = Extract<Frame, { readonly _tag: "Request" }>

const keysOf = (params: unknown): ReadonlyArray<string> => {
  const keys = Predicate.hasProperty(params, "keys") ? params.keys : undefined
  return Array.isArray(keys) ? keys.filter(Predicate.isString) : []
}

const chosen = (configuration: JsonObject, keys: ReadonlyArray<string>): JsonObject =>
  keys.length === 0
    ? configuration
    : Object.fromEntries(Object.entries(configuration).filter(([key]) => keys.includes(key)))

/** Makes what answers the calls of one connection. */
export const makePluginHost = Effect.gen(function* () {
  const store = yield* PluginStore
  const bots = yield* PluginBots
  const { publicUrl } = yield* Deployment
  const { port } = yield* PluginPort

  /** A process that the service runs may reach nothing else. */
  const apiOf = ({ connection }: StoredPlugin) =>
    connection.mode === "supervised" ? new URL(`http://${localHost}:${port}`) : publicUrl

  return Effect.fnUntraced(function* (plugin: StoredPlugin, { send, userAgent }: PluginSocket) {
    // Once for a connection: asking again gives the same key.
    const access = yield* Effect.cached(bots.admit(plugin.id))

    const configuration = Effect.map(store.find(plugin.id), (found) =>
      Option.match(found, { onNone: () => ({}), onSome: ({ configuration }) => configuration })
    )

    const accessFrame = (id: string | number) =>
      Effect.match(access, {
        onSuccess: ({ key }) =>
          nestedFrame(id, "access_get", { result: accessResult(apiOf(plugin), key, userAgent) }),
        onFailure: ({ message, reason }) =>
          nestedFrame(id, "access_get", {
            error: { code: reason === "none" ? rpcCodes.unknownMethod : rpcCodes.internal, message }
          })
      })

    return Effect.fnUntraced(function* ({ id, method, params }: Request) {
      // Nobody waits for an answer.
      if (id === undefined) return
      if (method === "get_config") {
        send(resultFrame(id, method, { config: chosen(yield* configuration, keysOf(params)) }))
      } else if (method === "access_get") send(yield* accessFrame(id))
      else send(failureFrame(id, { code: rpcCodes.unknownMethod, message: "There is no such method" }))
    })
  })
})
