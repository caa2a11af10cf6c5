/** What happens to the ways in which accounts sign in, for the event log. */
import { Schema } from "effect"
import { AccountId, PasskeyId } from "../shared/Id.ts"

/** An account can sign in with another passkey, or its first one. */
export const PasskeyAdded = Schema.TaggedStruct("PasskeyAdded", { id: PasskeyId, account_id: AccountId })
export type PasskeyAdded = typeof PasskeyAdded.Type

/** An account has given up a way to sign in. */
export const AuthMethodRemoved = Schema.TaggedStruct("AuthMethodRemoved", {
  account_id: AccountId,
  /** Which kind of way it was. */
  service: Schema.String
})
export type AuthMethodRemoved = typeof AuthMethodRemoved.Type
