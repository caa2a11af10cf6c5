/** What setting a new password needs from storage. Tokens arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import type { Candidate } from "./PasswordStore.ts"

export interface NewReset {
  readonly tokenHash: Uint8Array
  readonly accountId: AccountId
  /** Where it is mailed to; none if staff have it. */
  readonly emailAddressId: EmailAddressId | undefined
  /** The network that asked for it; none if staff have it. */
  readonly askedBy: ClientNetwork | undefined
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export class ResetStore extends Context.Service<
  ResetStore,
  {
    /** Replaces the token that the same network asked for, for the same address; or the one that staff have. */
    readonly put: (reset: NewReset) => Effect.Effect<void>
    /** The account whose password a token sets at this time. */
    readonly findAccount: (tokenHash: Uint8Array, at: DateTime.Utc) => Effect.Effect<Option.Option<Candidate>>
    /**
     * Replaces the password that has the hash `old` by a token, which ends with it; false if there is another password
     * by now, or if the token has ended.
     */
    readonly replacePassword: (
      tokenHash: Uint8Array,
      old: string,
      hash: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    readonly deleteExpired: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/ResetStore") {}
