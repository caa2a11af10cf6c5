/** What happens between accounts, for the event log. */
import { Schema } from "effect"
import { AccountId } from "../shared/Id.ts"

const pair = { follower: AccountId, followed: AccountId }

export const AccountFollowed = Schema.TaggedStruct("AccountFollowed", pair)
export type AccountFollowed = typeof AccountFollowed.Type

export const AccountUnfollowed = Schema.TaggedStruct("AccountUnfollowed", pair)
export type AccountUnfollowed = typeof AccountUnfollowed.Type
