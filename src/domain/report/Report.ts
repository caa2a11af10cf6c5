/** Reports of content and people to those who moderate. */

import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { DatagraphItemNode, DatagraphItemProfile } from "../datagraph/DatagraphItem.ts"
import { onePage, withExample } from "../field/Example.ts"
import { omittedMisc, resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { AccountId, Id, ReportId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { DatagraphItemPost } from "../thread/Post.ts"
import { DatagraphItemKind } from "../vocabulary/Kinds.ts"
import { ReportStatus } from "../vocabulary/ReportStatus.ts"
import { newReport, report } from "./ReportExamples.ts"

/** Reports of one account that are not resolved. */
export const openReportsMax = 1000

/** Reports of one account about the same thing that are not resolved. */
export const openReportsOfTargetMax = 20

export const Report = Schema.Struct({
  id: ReportId,
  ...resourceFields,
  misc: omittedMisc,
  target_id: Id.annotate({ description: "The id of what is reported" }),
  target_kind: DatagraphItemKind,
  item: Schema.optionalKey(
    Schema.Union([DatagraphItemPost, DatagraphItemNode, DatagraphItemProfile])
  ).annotateKey({
    description:
      "What is reported, if it is an account, or a post or a page that the caller may read. Where the items of a list do not fit into about 2 MiB, the last reports lack it, and `misc.omitted` names it."
  }),
  reported_by: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Who reported it; absent if the service did, or if the account is gone"
  }),
  handled_by: Schema.optionalKey(ProfileReference).annotateKey({ description: "Who deals with it" }),
  comment: Schema.optionalKey(Schema.String.annotate({ description: "Why it was reported" })),
  status: ReportStatus
})
  .annotate({
    identifier: "Report",
    description: "Something that somebody brought to the attention of moderators"
  })
  .pipe(withExample(report))
export interface Report extends Schema.Schema.Type<typeof Report> {}

export const ReportListResult = Schema.Struct({ ...PageFields, reports: Schema.Array(Report) })
  .annotate({ identifier: "ReportListResult", description: "A page of reports, last changed first" })
  .pipe(withExample({ ...onePage, page_size: 10, reports: [report] }))
export interface ReportListResult extends Schema.Schema.Type<typeof ReportListResult> {}

/** The longest comment of a report, in characters. */
export const commentLength = 2000

export const NewReport = Schema.Struct({
  target_id: Id.annotate({ description: "The id of what to report; it need not exist" }),
  target_kind: DatagraphItemKind,
  comment: Schema.optionalKey(
    Text.lines({ max: commentLength, description: "Why, as plain text. A blank one counts as none." })
  )
})
  .annotate({ identifier: "ReportInitialProps", description: "What to report, and why" })
  .pipe(withExample(newReport))
export interface NewReport extends Schema.Schema.Type<typeof NewReport> {}

export const ReportChanges = Schema.Struct({
  status: Schema.optionalKey(ReportStatus).annotateKey({
    description: "Those who reported it may set `resolved` only, which it is without this field as well"
  }),
  handled_by: Schema.optionalKey(AccountId).annotateKey({
    description:
      "The id of the account that deals with it; holders of MANAGE_REPORTS who set a status and leave it out do"
  })
})
  .annotate({ identifier: "ReportMutableProps", description: "What to change of a report" })
  .pipe(withExample({ status: "resolved" }))
export interface ReportChanges extends Schema.Schema.Type<typeof ReportChanges> {}

export class ReportNotFound extends Problem<ReportNotFound>()("ReportNotFound", {
  status: 404,
  title: "There is no such report",
  explanation: "No report has this id.",
  metadata: { report_id: Schema.String }
}) {}

export class ReportNotYours extends Problem<ReportNotYours>()("ReportNotYours", {
  status: 403,
  title: "Only those who manage reports may do this",
  explanation:
    "Without MANAGE_REPORTS an account may resolve the reports that it made itself, and change nothing else of them."
}) {}

export class ReportHandlerUnknown extends Problem<ReportHandlerUnknown>()("ReportHandlerUnknown", {
  status: 400,
  title: "The account that shall deal with the report does not exist",
  explanation: "`handled_by` is the id of no account.",
  metadata: { handled_by: Schema.String }
}) {}

export class TooManyReports extends Problem<TooManyReports>()("TooManyReports", {
  status: 409,
  title: "Too many reports of this account are open",
  explanation: `An account may have ${openReportsMax.toLocaleString("en")} reports that are not resolved.`,
  metadata: { maximum: Schema.Int }
}) {}

export class TooManyReportsOfTarget extends Problem<TooManyReportsOfTarget>()("TooManyReportsOfTarget", {
  status: 409,
  title: "This was reported often enough by this account",
  explanation: `An account may have ${openReportsOfTargetMax} reports of the same thing that are not resolved.`,
  metadata: { maximum: Schema.Int }
}) {}
