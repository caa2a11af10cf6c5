import { Context, type Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { AskedWithCaller } from "./Transaction.ts"

/** Lets work read from one copy of the storage throughout, if there is one that will do; else what is written. */
export type ReadReplica = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Copies of the storage, which may be some seconds old. */
export interface ReplicaReads {
  /** For work of those who have written nothing that they could miss. */
  readonly read: ReadReplica
  /** For work of a caller: a copy that has all that its account has written. What is written, if it has no account. */
  readonly forCaller: AskedWithCaller<ReadReplica>
  /** Notes that an account has written. What it reads from now on has that. */
  readonly noteWrite: (account: AccountId) => Effect.Effect<void>
}

/** There is no copy, unless a layer says so. */
export const Replicas = Context.Reference<ReplicaReads | undefined>("forum/domain/Replicas", {
  defaultValue: () => undefined
})
