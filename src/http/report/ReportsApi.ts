import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  NewReport,
  Report,
  ReportChanges,
  ReportHandlerUnknown,
  ReportListResult,
  ReportNotFound,
  ReportNotYours,
  TooManyReports,
  TooManyReportsOfTarget
} from "../../domain/report/Report.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { DatagraphItemKind } from "../../domain/vocabulary/Kinds.ts"
import { ReportStatus } from "../../domain/vocabulary/ReportStatus.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pagedQuery,
        status: Schema.optionalKey(ReportStatus).annotateKey({
          description: "How far they have been dealt with"
        }),
        kind: Schema.optionalKey(DatagraphItemKind).annotateKey({
          description: "The kind of what is reported"
        })
      },
      success: ReportListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "ReportList",
        cost: "quick",
        summary: "List reports",
        description:
          "All for holders of MANAGE_REPORTS, the caller's own for others; last changed first, 10 on a page.",
        access: accounts
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewReport,
      success: Report,
      error: [TooManyReports, TooManyReportsOfTarget, ReportNotFound]
    }).pipe(
      operation({
        id: "ReportCreate",
        cost: "write",
        summary: "Report content or a person",
        description:
          "Those who manage reports are told. The same may be reported again, up to 20 times until it is resolved; of that they are not told again.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("update", "/:report_id", {
      params: { report_id: Text.mark({ description: "The id of the report" }) },
      payload: ReportChanges,
      success: Report,
      error: [ReportNotFound, ReportNotYours, ReportHandlerUnknown]
    }).pipe(
      operation({
        id: "ReportUpdate",
        cost: "write",
        summary: "Change what becomes of a report",
        description:
          "Holders of MANAGE_REPORTS set any status, and who deals with it. Those who made a report may resolve it.",
        access: accounts
      })
    )
  )
  .prefix("/reports")
  .annotateMerge(
    OpenApi.annotations({ title: "reports", description: "What is brought to the attention of moderators" })
  ) {}
