/** Warnings that staff give accounts, which the accounts read. */
import { Effect, Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { CurrentAccount, checkPermission, type Forbidden } from "../shared/Actor.ts"
import { type AccountId, WarningId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { newWarning, warning } from "./ModerationExamples.ts"

/** Fails where the account is the caller's own, unless an administrator asks, from whom nothing can be kept. */
export const checkNotOwn = (account: AccountId): Effect.Effect<void, Forbidden, CurrentAccount> =>
  Effect.flatMap(CurrentAccount, (actor) =>
    account === actor.accountId ? checkPermission(actor, "ADMINISTRATOR") : Effect.void
  )

/** Warnings that one account may have. */
export const warningsMax = 1000

export const Warning = Schema.Struct({
  id: WarningId,
  issued_at: Timestamp.annotateKey({ description: "When it was given" }),
  issued_by: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Who gave it; absent if the account is gone"
  }),
  reason: Schema.String.annotate({ description: "Plain text" })
})
  .annotate({ identifier: "Warning", description: "A warning that staff gave an account" })
  .pipe(withExample(warning))
export interface Warning extends Schema.Schema.Type<typeof Warning> {}

export const WarningListResult = Schema.Struct({
  warnings: Schema.Array(Warning),
  total: Schema.Int.annotate({ description: "How many there are" })
})
  .annotate({ identifier: "WarningListResult", description: "The warnings of an account, newest first" })
  .pipe(withExample({ warnings: [warning], total: 1 }))
export interface WarningListResult extends Schema.Schema.Type<typeof WarningListResult> {}

/** The longest reason of a warning, in characters. */
export const reasonLength = 2000

const fields = {
  reason: Text.visibleLines({ max: reasonLength, description: "Why, as plain text that is not blank" })
}

export const NewWarning = Schema.Struct(fields)
  .annotate({ identifier: "WarningInitialProps", description: "A warning to give" })
  .pipe(withExample(newWarning))

export const WarningChanges = Schema.Struct(fields)
  .annotate({ identifier: "WarningMutableProps", description: "The new reason of a warning" })
  .pipe(withExample(newWarning))

export class WarningNotFound extends Problem<WarningNotFound>()("WarningNotFound", {
  status: 404,
  title: "This account has no such warning",
  explanation: "The account has no warning with this id; it may have been deleted, or is another account's.",
  metadata: { warning_id: Schema.String }
}) {}

export class TooManyWarnings extends Problem<TooManyWarnings>()("TooManyWarnings", {
  status: 409,
  title: "This account has too many warnings",
  explanation: `An account may have ${warningsMax.toLocaleString("en")} warnings. Delete one to give another.`,
  metadata: { maximum: Schema.Int }
}) {}
