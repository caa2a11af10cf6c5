/** What happens to access keys, for the event log. */
import { Schema } from "effect"
import { AccessKeyId, AccountId } from "../shared/Id.ts"

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
