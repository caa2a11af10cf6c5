import { Effect } from "effect"
import type { Role } from "../../domain/role/Role.ts"
import { Roles } from "../../domain/role/Roles.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const listed = (roles: ReadonlyArray<Role>) => ({ roles })

export const layer = group(
  ForumApi,
  "roles",
  Effect.fnUntraced(function* (handlers) {
    const roles = yield* Roles
    return handlers.handleAll({
      list: () => Effect.map(roles.list, listed),
      get: ({ params }) => roles.get(params.role_id),
      create: ({ payload }) => roles.create(payload),
      arrange: ({ payload }) => Effect.map(roles.arrange(payload), listed),
      update: ({ params, payload }) => roles.update(params.role_id, payload),
      delete: ({ params }) => roles.remove(params.role_id)
    })
  })
)
