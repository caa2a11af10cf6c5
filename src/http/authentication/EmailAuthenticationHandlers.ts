import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { EmailAuth } from "../../domain/authentication/EmailAuth.ts"
import { Resets } from "../../domain/authentication/Resets.ts"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { ForumApi } from "../Api.ts"
import { clientNetwork } from "../shared/ClientAddress.ts"
import { makeSessionCookie } from "../shared/SessionCookie.ts"

const addressKnown = HttpServerResponse.empty({ status: 422 })
const codeSent = { id: "" } as const

export const layer = HttpApiBuilder.group(
  ForumApi,
  "authEmail",
  Effect.fnUntraced(function* (handlers) {
    const auth = yield* EmailAuth
    const resets = yield* Resets
    const { signedInWith } = yield* makeSessionCookie

    /** Nobody has signed up with an address that was known already. */
    const signedUp = Effect.fnUntraced(function* (session: Option.Option<IssuedSession>) {
      return Option.isNone(session) ? addressKnown : yield* signedInWith(session.value)
    })

    return handlers.handleAll({
      signUpWithPassword: ({ payload, query, request }) =>
        Effect.flatMap(
          auth.signUpWithPassword(payload, query.invitation_id, clientNetwork(request)),
          signedInWith
        ),
      signInWithPassword: ({ payload, request }) =>
        Effect.flatMap(auth.signInWithPassword(payload, clientNetwork(request)), signedInWith),
      requestReset: ({ payload }) => resets.request(payload),
      reset: ({ payload, request }) =>
        Effect.flatMap(resets.reset(payload, clientNetwork(request)), signedInWith),
      signUpWithCode: ({ payload, query, request }) =>
        Effect.flatMap(auth.signUpWithCode(payload, query.invitation_id, clientNetwork(request)), signedUp),
      requestCode: ({ payload }) => Effect.as(auth.requestCode(payload), codeSent),
      verify: ({ payload, request }) =>
        Effect.flatMap(auth.verify(payload, clientNetwork(request)), signedInWith)
    })
  })
)
