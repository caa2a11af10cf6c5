/** What password sign-in needs from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import type { AttemptSource, Attempts } from "./Attempt.ts"

/** An account as sign-in sees it. */
export interface Candidate {
  readonly accountId: AccountId
  readonly suspended: boolean
  readonly passwordHash: string | undefined
}

/** Since when wrong passwords count, and since when a network that has signed in is known. */
export interface Periods {
  readonly windowStart: DateTime.Utc
  readonly knownSince: DateTime.Utc
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
    /**
     * Counts an attempt as a wrong one, while its source has some left; a window that began at `windowStart`
     * or before is over, and a new one begins. From a network that is not known it counts for strangers too.
     */
    readonly countAttempt: (
      accountId: AccountId,
      source: AttemptSource,
      periods: Periods & { readonly at: DateTime.Utc }
    ) => Effect.Effect<Attempts>
    /** Forgets the wrong attempts of a source after a right one, which was counted too. A network is known now. */
    readonly clearAttempts: (
      accountId: AccountId,
      source: AttemptSource,
      counted: Attempts,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Whether somebody has signed in to the account from a network since then. */
    readonly isKnown: (
      accountId: AccountId,
      network: ClientNetwork,
      since: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Deletes counts whose windows are over, and networks that are known no more. */
    readonly deleteAttempts: (periods: Periods) => Effect.Effect<void>
  }
>()("forum/domain/PasswordStore") {}
