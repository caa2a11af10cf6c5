import { Effect } from "effect"
import { UserInfo } from "../../domain/oauthtoken/UserInfo.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "userInfo",
  Effect.fnUntraced(function* (handlers) {
    const { get } = yield* UserInfo
    return handlers.handleAll({ get, getByPost: get })
  })
)
