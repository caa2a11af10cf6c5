/** What signing in with email addresses needs from storage. Codes arrive here as hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AddressOwner } from "../account/EmailAddressStore.ts"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import type { Candidate } from "./PasswordStore.ts"

/** An address, and its account as sign-in sees it. */
export interface AddressCandidate extends Candidate, AddressOwner {
  readonly id: EmailAddressId
  readonly address: string
  /** Whether both the address and the account count as verified by it. */
  readonly verified: boolean
  /** Whether the account signs in with codes. */
  readonly takesCodes: boolean
}

export interface NewCode {
  readonly hash: Uint8Array
  readonly expiresAt: DateTime.Utc
}

export class EmailSignInStore extends Context.Service<
  EmailSignInStore,
  {
    readonly findByAddress: (address: string) => Effect.Effect<Option.Option<AddressCandidate>>
    /** Lets an account sign in with codes. */
    readonly allowCodes: (accountId: AccountId, at: DateTime.Utc) => Effect.Effect<void>
    /** Replaces the code of an address and forgets the attempts at the one before. */
    readonly putCode: (id: EmailAddressId, code: NewCode) => Effect.Effect<void>
    /** Counts an attempt at the code of an address, while it has some left and is valid; answers the hash to compare. */
    readonly countAttempt: (
      id: EmailAddressId,
      maximum: number,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Uint8Array>>
    /** Takes back the count of an attempt that was right. */
    readonly uncountAttempt: (id: EmailAddressId, hash: Uint8Array) => Effect.Effect<void>
    /** Uses a code up; false if somebody else did, or if there is another one by now. */
    readonly takeCode: (id: EmailAddressId, hash: Uint8Array) => Effect.Effect<boolean>
    readonly deleteExpiredCodes: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/EmailSignInStore") {}
