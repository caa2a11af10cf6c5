import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { Account } from "../../domain/account/Account.ts"
import { AccountAdministration } from "../../domain/account/AccountAdministration.ts"
import { readAccountOrder } from "../../domain/account/AccountListing.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { searched } from "../../domain/text/SearchText.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

const headers = { "cache-control": "private, no-cache" } as const

const changed = (body: Account) => HttpApiSchema.withHeaders({ body, headers })

/** The text that is searched for, in the form of names as `text`, and in that of email addresses as `verbatim`. */
const searchOf = (q: string | undefined) => {
  const text = searched(q)
  return { text, verbatim: text === undefined ? undefined : q?.trim().toLowerCase() }
}

export const layer = group(
  ForumApi,
  "accountAdministration",
  Effect.fnUntraced(function* (handlers) {
    const administration = yield* AccountAdministration
    return handlers.handleAll({
      list: (request) => {
        const { query } = request
        const filter = {
          ...searchOf(query.q),
          order: readAccountOrder(query.sort),
          roles: query.roles ?? [],
          joined: readTimeRange(query.joined ?? "") ?? {},
          invitedBy: query.invited_by ?? [],
          suspended: query.suspended,
          admin: query.admin,
          kind: query.kind,
          authServices: query.auth_service ?? []
        }
        return inPages(request, (place) => administration.list({ ...filter, place }))
      },
      create: ({ payload }) => Effect.map(administration.create(payload), changed),
      update: ({ params, payload }) => Effect.map(administration.update(params.account_id, payload), changed)
    })
  })
)
