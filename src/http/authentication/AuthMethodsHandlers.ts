import { Effect } from "effect"
import { AuthMethods } from "../../domain/authentication/AuthMethods.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "authMethods",
  Effect.fnUntraced(function* (handlers) {
    const methods = yield* AuthMethods
    return handlers.handleAll({
      list: () => methods.list(),
      remove: ({ params }) => methods.remove(params.auth_method_id)
    })
  })
)
