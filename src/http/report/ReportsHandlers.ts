import { Effect } from "effect"
import { Reports } from "../../domain/report/Reports.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    return handlers.handleAll({
      list: (request) => {
        const { kind, status } = request.query
        return inPages(request, (place) => reports.list({ kind, status }, place))
      },
      create: ({ payload }) => reports.create(payload),
      update: ({ params, payload }) => reports.update(params.report_id, payload)
    })
  })
)
