import { Effect } from "effect"
import { Reports } from "../../domain/report/Reports.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    return handlers.handleAll({
      list: ({ query: { kind, page, status } }) => reports.list({ kind, status }, pageNumber(page)),
      create: ({ payload }) => reports.create(payload),
      update: ({ params, payload }) => reports.update(params.report_id, payload)
    })
  })
)
