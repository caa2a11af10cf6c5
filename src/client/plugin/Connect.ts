/** A plugin for programs with Effect: what happens is a stream, what it asks are effects. */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { Change, ChangeName } from "../../domain/change/Changes.ts"
import type { Client } from "../Client.ts"
import type { Configuration } from "./Answering.ts"
import type { EventNamed } from "./ConnectPlugin.ts"
import { PluginCallFailed, PluginDisconnected, PluginRefused } from "./Failures.ts"
import { type ConnectionOptions, keepConnected } from "./KeepConnected.ts"
import type { Ending } from "./Reconnecting.ts"
import type { Access } from "./Session.ts"

export type PluginFailure = PluginRefused | PluginDisconnected | PluginCallFailed

export interface ConnectOptions<Name extends ChangeName, R> extends Omit<ConnectionOptions, "signal"> {
  /** What to be told of. The manifest lists the same. */
  readonly events?: ReadonlyArray<Name>
  /** Takes what an administrator has chosen, or answers false to refuse it. Without it all is taken. */
  readonly configure?: (configuration: Configuration) => Effect.Effect<boolean, never, R>
}

export interface ConnectedPlugin<Name extends ChangeName> {
  /** What happens, for one reader, until the plugin is closed. An event is acknowledged when it waits here. */
  readonly events: Stream.Stream<EventNamed<Name>>
  /** What administrators have chosen: all of it, or these fields. */
  readonly configuration: (keys?: ReadonlyArray<string>) => Effect.Effect<Configuration, PluginFailure>
  /** Where to call the API, and with which key. Each connection has a key of its own. */
  readonly access: Effect.Effect<Access, PluginFailure>
  /** The typed client, as the account of the plugin. Each connection has another one. */
  readonly client: Effect.Effect<Client, PluginFailure>
  /** Why it has ended for good. */
  readonly closed: Effect.Effect<Ending>
}

const isFailure = (error: unknown): error is PluginFailure =>
  error instanceof PluginRefused || error instanceof PluginDisconnected || error instanceof PluginCallFailed

/** What else is thrown, such as for a missing address, is a mistake in the program. */
const attempt = <A>(promise: () => Promise<A>): Effect.Effect<A, PluginFailure> =>
  Effect.catch(Effect.tryPromise({ try: promise, catch: (error) => error }), (error) =>
    isFailure(error) ? Effect.fail(error) : Effect.die(error)
  )

/** Connects a plugin until the scope is closed, as `connectPlugin` does. */
export const connect = Effect.fn("forum-client.connect")(function* <
  Name extends ChangeName = never,
  R = never
>(
  options: ConnectOptions<Name, R> = {}
): Effect.fn.Return<ConnectedPlugin<Name>, PluginFailure, R | Scope.Scope> {
  const { configure = () => Effect.succeed(true), events = [], ...address } = options
  const context = yield* Effect.context<R>()
  const wanted = new Set<ChangeName>(events)
  const isWanted = (event: Change): event is EventNamed<Name> => wanted.has(event.event)
  const queue = yield* Queue.unbounded<EventNamed<Name>, Cause.Done>()
  const closing = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (closing) => Effect.sync(() => closing.abort())
  )
  const plugin = yield* attempt(() =>
    keepConnected({ ...address, signal: closing.signal }, () => ({
      event: (event) => isWanted(event) && Queue.offerUnsafe(queue, event),
      configure: (chosen) => Effect.runPromiseWith(context)(configure(chosen)),
      failed: () => {}
    }))
  )
  const closed = Effect.promise(() => plugin.closed)
  yield* Effect.forkScoped(Effect.andThen(closed, Queue.end(queue)))
  return {
    events: Stream.fromQueue(queue),
    configuration: (keys) => attempt(() => plugin.configuration(keys)),
    access: attempt(plugin.access),
    client: attempt(plugin.client),
    closed
  }
})
