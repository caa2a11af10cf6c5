/** The plugins that are connected to this instance. */
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { PluginId } from "../shared/Id.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"
import type { Closing } from "./PluginSocket.ts"
import type { StoredPlugin } from "./PluginStore.ts"

/** A plugin that is connected. */
export interface PluginSession {
  /** The plugin as it was when it connected. */
  readonly plugin: StoredPlugin
  /** Asks it to work with another configuration, which is stored then. One after the other is asked about. */
  readonly configure: <E, R>(
    configuration: JsonObject,
    storing: Effect.Effect<void, E, R>
  ) => Effect.Effect<ConfigurationAnswer, E, R>
  /** Ends the connection, and waits until it is closed. */
  readonly end: (closing: Closing) => Effect.Effect<void>
  readonly closed: Effect.Effect<void>
  /** False from when either side begins to close the connection. */
  readonly isOpen: () => boolean
}

/** A place for the connection of one plugin. */
export interface PluginSlot {
  /** Waits until the plugin has connected. */
  readonly connected: Effect.Effect<PluginSession>
}

interface Slot {
  session: PluginSession | undefined
  /** Done when another connection may take its place. */
  readonly gone: Deferred.Deferred<void>
  readonly connected: Deferred.Deferred<PluginSession>
}

/** How long it is waited that a connection is gone which is being closed. */
const endingMax = "3 seconds"

const make = Effect.sync(() => {
  const slots = new Map<PluginId, Slot>()

  const remove = (id: PluginId, slot: Slot) => {
    slots.delete(id)
    return Effect.asVoid(Deferred.succeed(slot.gone, undefined))
  }

  /** Waits for the end of a connection that is being closed: its program may be back before that. */
  const awaitEnd = (id: PluginId) => {
    const slot = slots.get(id)
    return slot?.session === undefined || slot.session.isOpen()
      ? Effect.void
      : Effect.asVoid(Effect.timeoutOption(Deferred.await(slot.gone), endingMax))
  }

  /** Lets a plugin connect once, as long as the scope is open; nothing if it may already. */
  const expect = (id: PluginId): Effect.Effect<PluginSlot | undefined, never, Scope.Scope> =>
    Effect.map(
      Effect.acquireRelease(
        Effect.gen(function* () {
          yield* awaitEnd(id)
          if (slots.has(id)) return undefined
          const slot: Slot = {
            session: undefined,
            gone: yield* Deferred.make<void>(),
            connected: yield* Deferred.make<PluginSession>()
          }
          slots.set(id, slot)
          return slot
        }),
        (slot) => (slot === undefined ? Effect.void : remove(id, slot))
      ),
      (slot) => slot && { connected: Deferred.await(slot.connected) }
    )

  return {
    expect,
    /** Gives an expected plugin its connection; false if it is not expected, or another one was first. */
    connect: Effect.fnUntraced(function* (id: PluginId, session: PluginSession) {
      const slot = slots.get(id)
      if (slot === undefined || slot.session !== undefined) return false
      slot.session = session
      yield* Deferred.succeed(slot.connected, session)
      return true
    }),
    /** All plugins that are connected. */
    list: (): ReadonlyArray<PluginSession> => [...slots.values()].flatMap(({ session }) => session ?? []),
    find: (id: PluginId): PluginSession | undefined => slots.get(id)?.session
  } as const
})

export class PluginSessions extends Context.Service<PluginSessions, Effect.Success<typeof make>>()(
  "forum/domain/PluginSessions"
) {
  static readonly layer = Layer.effect(PluginSessions, make)
}
