/** What moderators and administrators do with accounts, for the event log. */
import { Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { AccountId, AuditEventId, EmailAddressId, ModerationNoteId, WarningId } from "../shared/Id.ts"
import { PurgedContent } from "../vocabulary/Kinds.ts"

export const AccountSuspended = Schema.TaggedStruct("AccountSuspended", { id: AccountId })
export type AccountSuspended = typeof AccountSuspended.Type

export const AccountUnsuspended = Schema.TaggedStruct("AccountUnsuspended", { id: AccountId })
export type AccountUnsuspended = typeof AccountUnsuspended.Type

const note = { account_id: AccountId, note_id: ModerationNoteId }

export const ModerationNoteCreated = Schema.TaggedStruct("ModerationNoteCreated", note)
export type ModerationNoteCreated = typeof ModerationNoteCreated.Type

export const ModerationNoteDeleted = Schema.TaggedStruct("ModerationNoteDeleted", note)
export type ModerationNoteDeleted = typeof ModerationNoteDeleted.Type

const warning = {
  account_id: AccountId,
  warning_id: WarningId,
  // Who gave the warning, whoever changed it since. Older events lack it.
  author_id: Schema.optionalKey(AccountId)
}

export const AccountWarned = Schema.TaggedStruct("AccountWarned", warning)
export type AccountWarned = typeof AccountWarned.Type

export const AccountWarningUpdated = Schema.TaggedStruct("AccountWarningUpdated", {
  ...warning,
  previous_reason: Schema.String,
  reason: Schema.String
})
export type AccountWarningUpdated = typeof AccountWarningUpdated.Type

export const AccountWarningDeleted = Schema.TaggedStruct("AccountWarningDeleted", warning)
export type AccountWarningDeleted = typeof AccountWarningDeleted.Type

export const AccountContentPurged = Schema.TaggedStruct("AccountContentPurged", {
  id: AccountId,
  included: Schema.Array(PurgedContent),
  // Its entry in the audit log, and the time in it, as the answer to the request has them.
  audit_event_id: AuditEventId,
  requested_at: Timestamp
})
export type AccountContentPurged = typeof AccountContentPurged.Type

/** Somebody of the staff has a token with which a password can be set. */
export const PasswordResetTokenIssued = Schema.TaggedStruct("PasswordResetTokenIssued", { id: AccountId })
export type PasswordResetTokenIssued = typeof PasswordResetTokenIssued.Type

/** Somebody of the staff had a token for setting a password mailed to the account. */
export const PasswordResetEmailSent = Schema.TaggedStruct("PasswordResetEmailSent", {
  id: AccountId,
  email_address_id: EmailAddressId
})
export type PasswordResetEmailSent = typeof PasswordResetEmailSent.Type
