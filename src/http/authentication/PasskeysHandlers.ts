import { Effect } from "effect"
import { Passkeys } from "../../domain/authentication/Passkeys.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"
import { makeBegun, statesOf } from "./PasskeyCookie.ts"

export const layer = group(
  ForumApi,
  "passkeys",
  Effect.fnUntraced(function* (handlers) {
    const passkeys = yield* Passkeys
    const begun = yield* makeBegun
    const { signedInWith } = yield* makeSessionCookie

    return handlers.handleAll({
      beginCreation: ({ params }) => Effect.flatMap(passkeys.beginCreation(params.account_handle), begun),
      create: ({ payload, query, request }) =>
        Effect.flatMap(
          fromNetwork((from) => passkeys.create(payload, statesOf(request), query.invitation_id, from)),
          signedInWith
        ),
      beginSignIn: ({ params }) => Effect.flatMap(passkeys.beginSignIn(params.account_handle), begun),
      signIn: ({ payload, request }) =>
        Effect.flatMap(
          fromNetwork((from) => passkeys.signIn(payload, statesOf(request), from)),
          signedInWith
        )
    })
  })
)
