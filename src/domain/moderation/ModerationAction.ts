/** What administrators do at once with all that an account made. */

import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { AccountId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { PurgedContent } from "../vocabulary/Kinds.ts"
import { AuditEventType, auditFields } from "./AuditEvent.ts"
import { purgeAccount, purgeEntry } from "./ModerationExamples.ts"

export class SuspensionOfSelf extends Problem<SuspensionOfSelf>()("SuspensionOfSelf", {
  status: 400,
  title: "Nobody can suspend their own account",
  explanation:
    "An account that could suspend itself would leave nobody to reinstate it. Ask another member of staff."
}) {}

const contentMax = PurgedContent.literals.length

const PurgedContents = Schema.Array(PurgedContent)
  .check(Schema.isMinLength(1, { expected: "at least one kind of content" }), Schema.isMaxLength(contentMax))
  .annotate({
    identifier: "ModerationActionPurgeAccountContentTypeList",
    description: "What is to be removed"
  })

export const PurgeAccount = Schema.Struct({
  action: Schema.Literal("purge_account"),
  account_id: AccountId.annotate({ description: "Whose content is to be removed" }),
  include: PurgedContents
})
  .annotate({
    identifier: "ModerationActionCreatePurgeAccount",
    description: "Removes all content of some kinds that an account has made until now"
  })
  .pipe(withExample(purgeAccount))
export interface PurgeAccount extends Schema.Schema.Type<typeof PurgeAccount> {}

export const ModerationAction = Schema.Union([PurgeAccount])
  .annotate({ identifier: "ModerationActionInitialProps", description: "What to do" })
  .pipe(withExample(purgeAccount))
export type ModerationAction = typeof ModerationAction.Type

/** What the audit log will say of it, but for what is particular to its type. */
export const AuditEventProps = Schema.Struct({ ...auditFields, type: AuditEventType })
  .annotate({ identifier: "AuditEventProps", description: "An entry of the audit log in brief" })
  .pipe(withExample(purgeEntry))
export interface AuditEventProps extends Schema.Schema.Type<typeof AuditEventProps> {}
