import { Effect } from "effect"
import { AccountRoles } from "../../domain/account/AccountRoles.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "accountRoles",
  Effect.fnUntraced(function* (handlers) {
    const roles = yield* AccountRoles
    return handlers.handleAll({
      add: ({ params }) => roles.add(params.account_handle, params.role_id),
      remove: ({ params }) => roles.remove(params.account_handle, params.role_id),
      setBadge: ({ params }) => roles.setBadge(params.account_handle, params.role_id),
      removeBadge: ({ params }) => roles.removeBadge(params.account_handle, params.role_id)
    })
  })
)
