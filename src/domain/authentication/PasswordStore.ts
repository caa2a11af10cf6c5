/** What password sign-in needs from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../shared/Id.ts"

/** An account as sign-in sees it. */
export interface Candidate {
  readonly accountId: AccountId
  readonly suspended: boolean
  readonly passwordHash: string | undefined
}

/** Wrong passwords in the current window, which began at `since`. */
export interface Failures {
  readonly count: number
  readonly since: DateTime.Utc
}

export class PasswordStore extends Context.Service<
  PasswordStore,
  {
    readonly findByHandle: (handle: string) => Effect.Effect<Option.Option<Candidate>>
    readonly find: (accountId: AccountId) => Effect.Effect<Option.Option<Candidate>>
    /** Sets the first password; false if there is one already. */
    readonly insert: (accountId: AccountId, hash: string, at: DateTime.Utc) => Effect.Effect<boolean>
    readonly update: (accountId: AccountId, hash: string, at: DateTime.Utc) => Effect.Effect<void>
    readonly failures: (accountId: AccountId) => Effect.Effect<Option.Option<Failures>>
    /** Counts a wrong password; a window that began before `windowStart` is over and a new one begins. */
    readonly countFailure: (
      accountId: AccountId,
      at: DateTime.Utc,
      windowStart: DateTime.Utc
    ) => Effect.Effect<void>
    readonly clearFailures: (accountId: AccountId) => Effect.Effect<void>
  }
>()("forum/domain/PasswordStore") {}
