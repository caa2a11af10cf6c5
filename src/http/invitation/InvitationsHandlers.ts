import { Effect } from "effect"
import { Invitations } from "../../domain/invitation/Invitations.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "invitations",
  Effect.fnUntraced(function* (handlers) {
    const invitations = yield* Invitations
    return handlers.handleAll({
      list: (request) => inPages(request, (place) => invitations.list(request.query.account_id, place)),
      create: ({ payload }) => invitations.create(payload),
      get: ({ params }) => invitations.get(params.invitation_id),
      delete: ({ params }) => invitations.remove(params.invitation_id)
    })
  })
)
