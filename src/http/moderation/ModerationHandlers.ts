import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Account } from "../../domain/account/Account.ts"
import { AuditLog } from "../../domain/moderation/AuditLog.ts"
import { ModerationNotes } from "../../domain/moderation/ModerationNotes.ts"
import { Purges } from "../../domain/moderation/Purges.ts"
import { Suspensions } from "../../domain/moderation/Suspensions.ts"
import { Warnings } from "../../domain/moderation/Warnings.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

const headers = { "cache-control": "private, no-cache" } as const

const changed = (body: Account) => HttpApiSchema.withHeaders({ body, headers })

export const moderation = group(
  ForumApi,
  "moderation",
  Effect.fnUntraced(function* (handlers) {
    const suspensions = yield* Suspensions
    const audit = yield* AuditLog
    return handlers.handleAll({
      suspend: ({ params }) => Effect.map(suspensions.suspend(params.account_handle), changed),
      reinstate: ({ params }) => Effect.map(suspensions.reinstate(params.account_handle), changed),
      listAudit: (request) => {
        const { range, types = [] } = request.query
        return inPages(request, (place) =>
          audit.list({ types, range: readTimeRange(range ?? "") ?? {} }, place)
        )
      },
      getAudit: ({ params }) => audit.get(params.audit_event_id)
    })
  })
)

export const notes = group(
  ForumApi,
  "moderationNotes",
  Effect.fnUntraced(function* (handlers) {
    const notes = yield* ModerationNotes
    return handlers.handleAll({
      list: ({ params }) => notes.list(params.account_id),
      create: ({ params, payload }) => notes.create(params.account_id, payload.content),
      delete: ({ params }) => notes.remove(params.account_id, params.moderation_note_id)
    })
  })
)

export const warnings = group(
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

export const actions = group(
  ForumApi,
  "moderationActions",
  Effect.fnUntraced(function* (handlers) {
    const purges = yield* Purges
    return handlers.handleAll({ create: ({ payload }) => purges.purge(payload) })
  })
)
