import { Effect } from "effect"
import { Warnings } from "../../domain/moderation/Warnings.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "warnings",
  Effect.fnUntraced(function* (handlers) {
    const warnings = yield* Warnings
    return handlers.handleAll({
      list: ({ params }) => warnings.list(params.account_id),
      create: ({ params, payload }) => warnings.create(params.account_id, payload.reason),
      update: ({ params, payload }) => warnings.update(params.account_id, params.warning_id, payload.reason),
      delete: ({ params }) => warnings.remove(params.account_id, params.warning_id)
    })
  })
)
