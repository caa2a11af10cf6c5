/** What password sign-in needs from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../shared/Id.ts"

/** An account as sign-in sees it. */
export interface Candidate {
  readonly accountId: AccountId
  readonly suspended: boolean
  readonly passwordHash: string | undefined
}

/** Wrong passwords in the current window, which began at `since`, and the one being tried. */
export interface Attempts {
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
    /** Replaces the password that has the hash `old`; false if there is another one by now. */
    readonly replace: (
      accountId: AccountId,
      old: string,
      hash: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Counts an attempt as a wrong one. A window that began at `windowStart` or before is over: a new one begins. */
    readonly countAttempt: (
      accountId: AccountId,
      at: DateTime.Utc,
      windowStart: DateTime.Utc
    ) => Effect.Effect<Attempts>
    readonly clearAttempts: (accountId: AccountId) => Effect.Effect<void>
  }
>()("forum/domain/PasswordStore") {}
