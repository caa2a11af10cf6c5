import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Passkeys } from "../../domain/authentication/Passkeys.ts"
import { ForumApi } from "../Api.ts"
import { clientNetwork } from "../shared/ClientAddress.ts"
import { makeSessionCookie } from "../shared/SessionCookie.ts"
import { makeBegun, statesOf } from "./PasskeyCookie.ts"

export const layer = HttpApiBuilder.group(
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
          passkeys.create(payload, statesOf(request), query.invitation_id, clientNetwork(request)),
          signedInWith
        ),
      beginSignIn: ({ params }) => Effect.flatMap(passkeys.beginSignIn(params.account_handle), begun),
      signIn: ({ payload, request }) =>
        Effect.flatMap(passkeys.signIn(payload, statesOf(request), clientNetwork(request)), signedInWith)
    })
  })
)
