/** What happens to reports, for the event log. */
import { Schema } from "effect"
import { AccountId, Id, ReportId } from "../shared/Id.ts"
import { DatagraphItemKind } from "../vocabulary/Kinds.ts"
import { ReportStatus } from "../vocabulary/ReportStatus.ts"

const report = {
  id: ReportId,
  target: Schema.Struct({ kind: DatagraphItemKind, id: Id }),
  // Absent if the service reported it.
  reported_by: Schema.optionalKey(AccountId),
  // It says again what the same account had reported, so that staff know already.
  repeats: Schema.optionalKey(Schema.Literal(true))
}

export const ReportCreated = Schema.TaggedStruct("ReportCreated", report)
export type ReportCreated = typeof ReportCreated.Type

export const ReportUpdated = Schema.TaggedStruct("ReportUpdated", {
  ...report,
  handled_by: Schema.optionalKey(AccountId),
  status: ReportStatus
})
export type ReportUpdated = typeof ReportUpdated.Type
