/** What happens to accounts, for the event log. */
import { Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { AccessKeyId, AccountId, EmailAddressId, IdentityId, PasskeyId } from "../shared/Id.ts"

const pair = { follower: AccountId, followed: AccountId }

export const AccountFollowed = Schema.TaggedStruct("AccountFollowed", pair)
export type AccountFollowed = typeof AccountFollowed.Type

export const AccountUnfollowed = Schema.TaggedStruct("AccountUnfollowed", pair)
export type AccountUnfollowed = typeof AccountUnfollowed.Type

const address = { account_id: AccountId, email_address_id: EmailAddressId }

export const EmailAddressAdded = Schema.TaggedStruct("EmailAddressAdded", address)
export type EmailAddressAdded = typeof EmailAddressAdded.Type

export const EmailAddressRemoved = Schema.TaggedStruct("EmailAddressRemoved", address)
export type EmailAddressRemoved = typeof EmailAddressRemoved.Type

/** The owner of an email address has confirmed it, or staff have said whether it counts as confirmed. */
export const EmailAddressVerified = Schema.TaggedStruct("EmailAddressVerified", {
  ...address,
  verified: Schema.Boolean
})
export type EmailAddressVerified = typeof EmailAddressVerified.Type

/** An account can sign in with another passkey, or its first one. */
export const PasskeyAdded = Schema.TaggedStruct("PasskeyAdded", { id: PasskeyId, account_id: AccountId })
export type PasskeyAdded = typeof PasskeyAdded.Type

/** An account can sign in with an account at another service. */
export const IdentityElsewhereAdded = Schema.TaggedStruct("IdentityElsewhereAdded", {
  id: IdentityId,
  account_id: AccountId,
  /** Which service it is. */
  service: Schema.String
})
export type IdentityElsewhereAdded = typeof IdentityElsewhereAdded.Type

/** An account has given up a way to sign in. */
export const AuthMethodRemoved = Schema.TaggedStruct("AuthMethodRemoved", {
  account_id: AccountId,
  /** Which kind of way it was. */
  service: Schema.String
})
export type AuthMethodRemoved = typeof AuthMethodRemoved.Type

/** An account created a key for itself. */
export const AccessKeyCreated = Schema.TaggedStruct("AccessKeyCreated", {
  id: AccessKeyId,
  account_id: AccountId
})
export type AccessKeyCreated = typeof AccessKeyCreated.Type

/** A key was revoked, by its account or by an administrator. */
export const AccessKeyRevoked = Schema.TaggedStruct("AccessKeyRevoked", {
  id: AccessKeyId,
  /** Whose key it is. */
  account_id: AccountId
})
export type AccessKeyRevoked = typeof AccessKeyRevoked.Type

export const AccountCreated = Schema.TaggedStruct("AccountCreated", { id: AccountId })
export type AccountCreated = typeof AccountCreated.Type

export const AccountUpdated = Schema.TaggedStruct("AccountUpdated", { id: AccountId })
export type AccountUpdated = typeof AccountUpdated.Type

/** An account wants what is its own data. */
export const AccountExportRequested = Schema.TaggedStruct("AccountExportRequested", { id: AccountId })
export type AccountExportRequested = typeof AccountExportRequested.Type

/** The own data of an account can be downloaded. */
export const AccountExportReady = Schema.TaggedStruct("AccountExportReady", { id: AccountId })
export type AccountExportReady = typeof AccountExportReady.Type

/** An account is to be erased, or to be erased in another way than it was to be. */
export const AccountErasureRequested = Schema.TaggedStruct("AccountErasureRequested", {
  id: AccountId,
  erased_at: Timestamp,
  keep_posts: Schema.Boolean
})
export type AccountErasureRequested = typeof AccountErasureRequested.Type

/** An account is not to be erased any more. */
export const AccountErasureCancelled = Schema.TaggedStruct("AccountErasureCancelled", { id: AccountId })
export type AccountErasureCancelled = typeof AccountErasureCancelled.Type

/** An account was erased. Nothing says which one it was. */
export const AccountErased = Schema.TaggedStruct("AccountErased", {
  // Whether what others could read has stayed, as of nobody.
  keep_posts: Schema.Boolean
})
export type AccountErased = typeof AccountErased.Type
