import { Context, type Effect } from "effect"

/**
 * Lets work read from a copy of the storage, where there is one. What it reads may be some seconds old, and it is one
 * copy throughout. For work whose caller has written nothing that it could miss.
 */
export type ReadReplica = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** There is no copy, unless a layer says so. */
export const Replicas = Context.Reference<ReadReplica | undefined>("forum/domain/Replicas", {
  defaultValue: () => undefined
})
