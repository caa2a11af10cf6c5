/** Who may connect as which plugin. */
import { Context, DateTime, Duration, Effect, Layer, Option, Schema, type Scope } from "effect"
import { PluginId } from "../shared/Id.ts"
import { lookUntil } from "../shared/Looking.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { isHeldElsewhere, leaseFor, leaseFrom } from "./LeaseRules.ts"
import { PluginConnection } from "./PluginConnection.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { isPluginToken } from "./PluginRules.ts"
import { type PluginSession, PluginSessions } from "./PluginSessions.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { type Closing, closings, type PluginSocket } from "./PluginSocket.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { isExternalToken } from "./PluginToken.ts"

/** How often those look who wait whether another instance still has the connection of a plugin. */
const lookEvery = Duration.millis(250)

// One look when the lease of an instance is over that has died.
const patience = { every: lookEvery, within: Duration.sum(leaseFor, lookEvery) }

/** What a program says of itself when it connects. */
export interface PresentedPlugin {
  readonly pluginId: string | undefined
  readonly token: string | undefined
}

/** Whether a program may connect, and as which plugin. */
export type Admission =
  | { readonly _tag: "Malformed"; readonly message: string }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Admitted"; readonly plugin: StoredPlugin }

const isPluginId = Schema.is(PluginId)

const malformed = (message: string): Admission => ({ _tag: "Malformed", message })
const unknown: Admission = { _tag: "Unknown" }

const tokenHashOf = ({ connection }: StoredPlugin) =>
  connection.mode === "external" ? connection.tokenHash.toHex() : undefined

/** Whether an external plugin has the same token as at another time. */
const hasTokenOf = (before: StoredPlugin, now: StoredPlugin) => tokenHashOf(before) === tokenHashOf(now)

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const sessions = yield* PluginSessions
  const connections = yield* PluginConnection
  const signals = yield* PluginSignals
  const { name: instance } = yield* PluginInstance
  const tokens = yield* makeTokens

  const admitExternal = Effect.fnUntraced(function* (token: string, pluginId: string | undefined) {
    if (!isPluginToken(token)) return unknown
    const found = Option.getOrUndefined(yield* store.findByTokenHash(yield* tokens.hash(token)))
    const isRight = found !== undefined && (pluginId === undefined || pluginId === found.id)
    return isRight ? ({ _tag: "Admitted", plugin: found } satisfies Admission) : unknown
  })

  /** The secret of a process is worth nothing afterwards. */
  const admitSupervised = Effect.fnUntraced(function* (token: string, id: PluginId) {
    if (!(yield* store.useEntry(id, yield* tokens.hash(token)))) return unknown
    const found = Option.getOrUndefined(yield* store.find(id))
    return found === undefined ? unknown : ({ _tag: "Admitted", plugin: found } satisfies Admission)
  })

  /** Finds out which plugin connects. */
  const admit = Effect.fn("PluginDoor.admit")(function* ({ pluginId, token }: PresentedPlugin) {
    if (token === undefined || token === "") return malformed("A connection needs the token of its plugin")
    if (pluginId !== undefined && !isPluginId(pluginId)) return malformed("There is no plugin_id like this")
    if (isExternalToken(token)) return yield* admitExternal(token, pluginId)
    if (pluginId === undefined) return malformed("A connection with this token names its plugin_id")
    return yield* admitSupervised(token, pluginId)
  })

  const tryToTake = Effect.fnUntraced(function* (id: PluginId) {
    const now = yield* DateTime.now
    const taken = Option.getOrUndefined(yield* store.takeLease(id, leaseFrom(instance, now), now))
    if (taken !== undefined) return { taken, isElsewhere: false }
    const found = Option.getOrUndefined(yield* store.find(id))
    return { taken, isElsewhere: found !== undefined && isHeldElsewhere(found.lease, instance, now) }
  })

  /** Takes an external plugin for this instance; waits for one that had it and may be gone. */
  const takeLease = (id: PluginId) =>
    Effect.map(
      lookUntil(tryToTake(id), ({ isElsewhere }) => !isElsewhere, patience),
      ({ taken }) => taken
    )

  const say = Effect.fnUntraced(function* (id: PluginId, name: "active" | "connecting", keepsLease: boolean) {
    return yield* store.setState(id, instance, { name, at: yield* DateTime.now }, keepsLease)
  })

  const connectExternal =
    ({ id }: StoredPlugin) =>
    (session: PluginSession) =>
      Effect.flatMap(say(id, "active", true), (isOurs) =>
        isOurs ? Effect.tap(sessions.connect(id, session), () => signals.changed(id)) : Effect.succeed(false)
      )

  /** Serves an external plugin as long as it has its place; answers how its connection is to be closed, if it is open. */
  const serveInPlace = Effect.fnUntraced(function* (
    plugin: StoredPlugin,
    socket: PluginSocket
  ): Effect.fn.Return<Closing | undefined, never, Scope.Scope> {
    const { id } = plugin
    if ((yield* sessions.expect(id)) === undefined) return closings.rejected
    const taken = yield* takeLease(id)
    if (taken === undefined) return closings.rejected
    // Its token may be worth nothing since it was let in.
    const isSame = hasTokenOf(plugin, taken)
    const serving = isSame ? connections.serve(taken, socket, connectExternal(taken)) : Effect.void
    yield* Effect.ensuring(serving, say(id, "connecting", false))
    return isSame ? undefined : closings.closed
  })

  // Closed once the place is free, which a program has to find so that comes again at once.
  const serveExternal = Effect.fnUntraced(function* (plugin: StoredPlugin, socket: PluginSocket) {
    const closing = yield* Effect.scoped(serveInPlace(plugin, socket))
    if (closing !== undefined) yield* socket.close(closing)
  })

  const serveSupervised = (plugin: StoredPlugin, socket: PluginSocket) =>
    connections.serve(plugin, socket, (session) => sessions.connect(plugin.id, session))

  /** Serves an admitted plugin until its connection is closed, unless it is connected already. */
  const serve = Effect.fn("PluginDoor.serve")(function* (plugin: StoredPlugin, socket: PluginSocket) {
    yield* plugin.connection.mode === "external"
      ? serveExternal(plugin, socket)
      : serveSupervised(plugin, socket)
  })

  return { admit, serve } as const
})

export class PluginDoor extends Context.Service<PluginDoor, Effect.Success<typeof make>>()(
  "forum/domain/PluginDoor"
) {
  static readonly layer = Layer.effect(PluginDoor, make).pipe(
    Layer.provide(Layer.mergeAll(PluginConnection.layer, PluginSessions.layer, PluginInstance.layer))
  )
}
