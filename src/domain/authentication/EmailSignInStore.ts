/** What signing in with email addresses needs from storage. Codes themselves never arrive here. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AddressOwner } from "../account/EmailAddressStore.ts"
import type { Client } from "../shared/Client.ts"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import type { StoredCode } from "./EmailCodeRules.ts"
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

export class EmailSignInStore extends Context.Service<
  EmailSignInStore,
  {
    readonly findByAddress: (address: string) => Effect.Effect<Option.Option<AddressCandidate>>
    /** Lets an account sign in with codes. */
    readonly allowCodes: (accountId: AccountId, at: DateTime.Utc) => Effect.Effect<void>
    /** The key that codes are made with. */
    readonly codeKey: Effect.Effect<Uint8Array>
    readonly findCode: (id: EmailAddressId) => Effect.Effect<Option.Option<StoredCode>>
    /** Replaces the code of an address. */
    readonly putCode: (id: EmailAddressId, code: StoredCode) => Effect.Effect<void>
    /** Notes that several have asked for the code of an address. */
    readonly shareCode: (id: EmailAddressId) => Effect.Effect<void>
    /** Counts an attempt at the code of an address, while who sends it has some left and it is valid; answers its nonce. */
    readonly countAttempt: (
      id: EmailAddressId,
      client: Client,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Uint8Array>>
    /** Takes back the count of an attempt that was right. */
    readonly uncountAttempt: (id: EmailAddressId, client: Client, nonce: Uint8Array) => Effect.Effect<void>
    /** Uses a code up; false if somebody else did, or if there is another one by now. */
    readonly takeCode: (id: EmailAddressId, nonce: Uint8Array) => Effect.Effect<boolean>
    readonly deleteExpiredCodes: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/EmailSignInStore") {}
