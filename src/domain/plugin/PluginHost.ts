/** What plugins may ask of the service on their connections. */
import { Duration, Effect, Exit, Option, Predicate } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { Deployment } from "../settings/Deployment.ts"
import { accessResult } from "./AccessResult.ts"
import { PluginBots } from "./PluginBots.ts"
import { type Frame, failureFrame, nestedFrame, resultFrame, rpcCodes } from "./PluginRpc.ts"
import { localHost, PluginPort } from "./PluginRuntime.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"

type Request = Extract<Frame, { readonly _tag: "Request" }>

/** How many values of a configuration are asked for by name. */
export const keysMax = 1000

/** The values that are asked for by name, or nothing if they are too many. */
const keysOf = (params: unknown): ReadonlySet<string> | undefined => {
  const keys: unknown = Predicate.hasProperty(params, "keys") ? params.keys : undefined
  if (!Array.isArray(keys)) return new Set()
  return keys.length > keysMax ? undefined : new Set(keys.filter(Predicate.isString))
}

const chosen = (configuration: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  keys.size === 0
    ? configuration
    : Object.fromEntries(Object.entries(configuration).filter(([key]) => keys.has(key)))

const tooManyKeys = {
  code: rpcCodes.invalidParameters,
  message: `No more than ${keysMax} keys are asked for at a time`
}

/** Makes what answers the calls of one connection. */
export const makePluginHost = Effect.gen(function* () {
  const store = yield* PluginStore
  const bots = yield* PluginBots
  const { publicUrl } = yield* Deployment
  const { port } = yield* PluginPort

  /** A process that the service runs may reach nothing else. */
  const apiOf = ({ connection }: StoredPlugin) =>
    connection.mode === "supervised" ? new URL(`http://${localHost}:${port}`) : publicUrl

  return Effect.fnUntraced(function* (plugin: StoredPlugin, userAgent: string) {
    // Once for a connection: asking again gives the same key, unless the service has failed.
    const access = yield* Effect.cachedWithTTL(bots.admit(plugin.id), (admitted) =>
      Exit.hasDies(admitted) ? Duration.zero : Duration.infinity
    )

    const configurationFrame = Effect.fnUntraced(function* (id: string | number, params: unknown) {
      const keys = keysOf(params)
      if (keys === undefined) return failureFrame(id, tooManyKeys)
      const configuration = Option.getOrElse(yield* store.findConfiguration(plugin.id), () => ({}))
      return resultFrame(id, "get_config", { config: chosen(configuration, keys) })
    })

    const accessFrame = (id: string | number) =>
      Effect.match(access, {
        onSuccess: ({ key }) =>
          nestedFrame(id, "access_get", { result: accessResult(apiOf(plugin), key, userAgent) }),
        onFailure: ({ message, reason }) =>
          nestedFrame(id, "access_get", {
            error: { code: reason === "none" ? rpcCodes.unknownMethod : rpcCodes.internal, message }
          })
      })

    /** The answer to a call, unless nobody waits for one. */
    return Effect.fnUntraced(function* ({ id, method, params }: Request) {
      if (id === undefined) return undefined
      if (method === "get_config") return yield* configurationFrame(id, params)
      if (method === "access_get") return yield* accessFrame(id)
      return failureFrame(id, { code: rpcCodes.unknownMethod, message: "There is no such method" })
    })
  })
})
