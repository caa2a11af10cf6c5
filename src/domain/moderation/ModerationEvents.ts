/** What moderators do with accounts, for the event log. */
import { Schema } from "effect"
import { AccountId, ModerationNoteId } from "../shared/Id.ts"

export const AccountSuspended = Schema.TaggedStruct("AccountSuspended", { id: AccountId })
export type AccountSuspended = typeof AccountSuspended.Type

export const AccountUnsuspended = Schema.TaggedStruct("AccountUnsuspended", { id: AccountId })
export type AccountUnsuspended = typeof AccountUnsuspended.Type

const note = { account_id: AccountId, note_id: ModerationNoteId }

export const ModerationNoteCreated = Schema.TaggedStruct("ModerationNoteCreated", note)
export type ModerationNoteCreated = typeof ModerationNoteCreated.Type

export const ModerationNoteDeleted = Schema.TaggedStruct("ModerationNoteDeleted", note)
export type ModerationNoteDeleted = typeof ModerationNoteDeleted.Type
