import { Schema } from "effect"
import type { DatagraphItemKind } from "../search/Search.ts"

export const ReportStatus = Schema.Literals(["submitted", "acknowledged", "resolved"]).annotate({
  identifier: "ReportStatus",
  description: "How far a report has been dealt with"
})
export type ReportStatus = typeof ReportStatus.Type

/** As what something that is reported is shown; reports of other kinds show nothing. */
export const itemKindOf = (kind: DatagraphItemKind): "post" | "node" | "profile" | undefined => {
  switch (kind) {
    case "post":
    case "thread":
    case "reply":
      return "post"
    case "node":
    case "profile":
      return kind
    default:
      return undefined
  }
}
