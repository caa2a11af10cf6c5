/** What happens to accounts, for the event log. */
import { Schema } from "effect"
import { AccountId } from "../shared/Id.ts"

export const AccountCreated = Schema.TaggedStruct("AccountCreated", { id: AccountId })
export type AccountCreated = typeof AccountCreated.Type

export const AccountUpdated = Schema.TaggedStruct("AccountUpdated", { id: AccountId })
export type AccountUpdated = typeof AccountUpdated.Type
