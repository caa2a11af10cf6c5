/** What the rules of email addresses need from storage. Addresses are in lower case. */
import { Context, type DateTime, type Effect, type Option, Schema } from "effect"
import type { AccountId, EmailAddressId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"

/** How many addresses an account may have. */
export const addressesMax = 20

export interface StoredEmailAddress {
  readonly id: EmailAddressId
  readonly accountId: AccountId
  readonly address: string
  readonly verified: boolean
}

export class EmailAddressTaken extends Problem<EmailAddressTaken>()("EmailAddressTaken", {
  status: 409,
  title: "Another account has this email address",
  explanation: "An email address belongs to one account at most. Letter case does not distinguish addresses.",
  metadata: { email_address: Schema.String }
}) {}

export class TooManyEmailAddresses extends Problem<TooManyEmailAddresses>()("TooManyEmailAddresses", {
  status: 400,
  title: "The account has too many email addresses",
  explanation: `An account may have ${addressesMax} email addresses. Remove one first.`,
  metadata: { maximum: Schema.Int }
}) {}

export class EmailAddressStore extends Context.Service<
  EmailAddressStore,
  {
    readonly findByAddress: (address: string) => Effect.Effect<Option.Option<StoredEmailAddress>>
    /** Oldest first. */
    readonly listOf: (accountId: AccountId) => Effect.Effect<ReadonlyArray<StoredEmailAddress>>
    readonly insert: (
      address: StoredEmailAddress,
      at: DateTime.Utc
    ) => Effect.Effect<void, EmailAddressTaken | TooManyEmailAddresses>
  }
>()("forum/domain/EmailAddressStore") {}
