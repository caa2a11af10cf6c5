/** What signing in with email addresses needs from storage. Codes themselves never arrive here. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AddressOwner } from "../account/EmailAddressStore.ts"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import type { CodeStore } from "./CodeStore.ts"
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
  CodeStore<EmailAddressId> & {
    readonly findByAddress: (address: string) => Effect.Effect<Option.Option<AddressCandidate>>
    /** Lets an account sign in with codes. */
    readonly allowCodes: (accountId: AccountId, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/EmailSignInStore") {}
