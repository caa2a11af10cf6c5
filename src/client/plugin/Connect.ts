/** A plugin for programs with Effect: what happens is a stream, what it asks are effects. */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { ChangeName } from "../../domain/change/Changes.ts"
import type { Client } from "../Client.ts"
import type { AddressOptions } from "./Address.ts"
import {
  type Access,
  type Configuration,
  connectPlugin,
  type EventNamed,
  type PluginOptions
} from "./ConnectPlugin.ts"
import { PluginCallFailed, PluginDisconnected, PluginRefused } from "./Failures.ts"
import type { Ending } from "./Reconnecting.ts"

export type PluginFailure = PluginRefused | PluginDisconnected | PluginCallFailed

export interface ConnectOptions<Name extends ChangeName, R> extends AddressOptions {
  /** What to be told of. The manifest lists the same. */
  readonly events?: ReadonlyArray<Name>
  /** Takes what an administrator has chosen, or answers false to refuse it. Without it all is taken. */
  readonly configure?: (configuration: Configuration) => Effect.Effect<boolean, never, R>
  /** Where to call the API, as `connectPlugin` takes it. */
  readonly apiUrl?: string | URL
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
  const { configure, events = [], ...address } = options
  const context = yield* Effect.context<R>()
  const queue = yield* Queue.unbounded<EventNamed<Name>, Cause.Done>()
  // Each name has a handler of its own events, which types of unions do not say.
  const on = Object.fromEntries(
    events.map((name) => [name, (event: EventNamed<Name>) => Queue.offerUnsafe(queue, event)])
  ) as NonNullable<PluginOptions["on"]>
  const closing = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (closing) => Effect.sync(() => closing.abort())
  )
  const plugin = yield* attempt(() =>
    connectPlugin({
      ...address,
      on,
      signal: closing.signal,
      ...(configure === undefined
        ? {}
        : { configure: (chosen) => Effect.runPromiseWith(context)(configure(chosen)) })
    })
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
