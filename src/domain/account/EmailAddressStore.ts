/** What the rules of email addresses need from storage. Addresses are in lower case. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import type { EmailAddressTaken, TooManyEmailAddresses } from "./Email.ts"

export interface StoredEmailAddress {
  readonly id: EmailAddressId
  readonly accountId: AccountId
  readonly address: string
  readonly verified: boolean
}

/** The account that an address belongs to, as mails to it say. */
export interface AddressOwner {
  readonly handle: string
  readonly name: string
}

export class EmailAddressStore extends Context.Service<
  EmailAddressStore,
  {
    readonly findByAddress: (address: string) => Effect.Effect<Option.Option<StoredEmailAddress>>
    /** The email addresses of an account, oldest first. */
    readonly listOf: (accountId: AccountId) => Effect.Effect<ReadonlyArray<StoredEmailAddress>>
    readonly insert: (
      address: StoredEmailAddress,
      at: DateTime.Utc
    ) => Effect.Effect<void, EmailAddressTaken | TooManyEmailAddresses>
    /**
     * Inserts an address as part of the running transaction, in which the account is locked; false if an account has
     * it, or this one has as many as it may.
     */
    readonly insertIfFree: (address: StoredEmailAddress, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Locks the account: of two changes of its addresses, the second waits for the first. */
    readonly findOwnerForUpdate: (accountId: AccountId) => Effect.Effect<Option.Option<AddressOwner>>
    /** An address, if it belongs to the account, as the running transaction sees it. */
    readonly findOf: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<StoredEmailAddress>>
    /** Removes an address, if it belongs to the account; answers whether it did. */
    readonly remove: (accountId: AccountId, id: EmailAddressId) => Effect.Effect<boolean>
    readonly setVerified: (id: EmailAddressId, verified: boolean) => Effect.Effect<void>
    /** Derives how the account is verified from its addresses, after one of them has changed. */
    readonly updateVerification: (accountId: AccountId, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/EmailAddressStore") {}
