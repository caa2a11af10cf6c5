import { Schema } from "effect"

export const ReportStatus = Schema.Literals(["submitted", "acknowledged", "resolved"]).annotate({
  identifier: "ReportStatus",
  description: "How far a report has been dealt with"
})
export type ReportStatus = typeof ReportStatus.Type
