import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Roles } from "../../domain/role/Roles.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "roles",
  Effect.fnUntraced(function* (handlers) {
    const roles = yield* Roles
    return handlers.handleAll({
      list: () => Effect.map(roles.list, (roles) => ({ roles })),
      get: ({ params }) => roles.get(params.role_id)
    })
  })
)
