/** Which accounts are to be erased: a queue that outlives the process, and each account. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../shared/Id.ts"

export interface StoredErasure {
  readonly accountId: AccountId
  readonly requestedAt: DateTime.Utc
  /** Until when it can be taken back. */
  readonly dueAt: DateTime.Utc
  readonly keepPosts: boolean
  readonly begunAt: DateTime.Utc | undefined
}

export interface NewErasure {
  readonly accountId: AccountId
  readonly at: DateTime.Utc
  readonly dueAt: DateTime.Utc
  readonly keepPosts: boolean
}

/** An erasure that somebody works on. */
export interface TakenErasure extends StoredErasure {
  /** A number that differs each time somebody takes it. */
  readonly turn: number
}

export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    readonly find: (account: AccountId) => Effect.Effect<Option.Option<StoredErasure>>
    /**
     * Asks for an erasure. One that was asked for already is due when it was, or earlier, and keeps posts or not as it is
     * said now; one that has begun stays as it is. Answers what it is then.
     */
    readonly request: (erasure: NewErasure) => Effect.Effect<StoredErasure>
    /** Takes an erasure back that has not begun; answers whether there was one. */
    readonly cancel: (account: AccountId) => Effect.Effect<boolean>
    /** Whether this is the one account with the Admin role that is not suspended, as the running transaction sees it. */
    readonly isLastAdministrator: (account: AccountId) => Effect.Effect<boolean>
    /** Takes what has been due for the longest time. Unless it is kept or released, it is due again at `until`. */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<Option.Option<TakenErasure>>
    /** Goes on to work on an erasure; answers whether nobody else does by now. */
    readonly keep: (erasure: TakenErasure, until: DateTime.Utc) => Effect.Effect<boolean>
    /** Leaves an erasure to whoever takes it when it is due, unless somebody has taken it. */
    readonly release: (erasure: TakenErasure, dueAt: DateTime.Utc) => Effect.Effect<void>
    /** Says that it has begun, as part of the running transaction; answers whether it was still to be done. */
    readonly begin: (erasure: TakenErasure, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Removes an erasure, unless somebody has taken it. Answers whether it was there. */
    readonly finish: (erasure: TakenErasure) => Effect.Effect<boolean>
    /** Forgets handles that anyone may have again. */
    readonly forgetHandles: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/ErasureStore") {}
