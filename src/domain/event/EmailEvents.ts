/** What happens to the email addresses of accounts, for the event log. It does not say the addresses. */
import { Schema } from "effect"
import { AccountId, EmailAddressId } from "../shared/Id.ts"

const address = { account_id: AccountId, email_address_id: EmailAddressId }

export const EmailAddressAdded = Schema.TaggedStruct("EmailAddressAdded", address)
export type EmailAddressAdded = typeof EmailAddressAdded.Type

export const EmailAddressRemoved = Schema.TaggedStruct("EmailAddressRemoved", address)
export type EmailAddressRemoved = typeof EmailAddressRemoved.Type

/** Its owner has confirmed an address, or staff have said whether it counts as confirmed. */
export const EmailAddressVerified = Schema.TaggedStruct("EmailAddressVerified", {
  ...address,
  verified: Schema.Boolean
})
export type EmailAddressVerified = typeof EmailAddressVerified.Type
