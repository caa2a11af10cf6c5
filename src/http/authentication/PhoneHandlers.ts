import { Effect } from "effect"
import { PhoneAuth } from "../../domain/authentication/PhoneAuth.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"
import { codeSent } from "./CodeSent.ts"

export const layer = group(
  ForumApi,
  "authPhone",
  Effect.fnUntraced(function* (handlers) {
    const auth = yield* PhoneAuth
    const { signedInWith } = yield* makeSessionCookie

    return handlers.handleAll({
      requestCode: ({ payload, query }) =>
        Effect.as(
          fromNetwork((from) => auth.request(payload, query.invitation_id, from)),
          codeSent
        ),
      submitCode: ({ params, payload }) =>
        Effect.flatMap(
          fromNetwork((from) => auth.confirm(params.account_handle, payload.code, from)),
          signedInWith
        )
    })
  })
)
