import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuthMethods } from "../../domain/authentication/AuthMethods.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
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
