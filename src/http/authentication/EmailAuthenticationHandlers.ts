import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { EmailAuth } from "../../domain/authentication/EmailAuth.ts"
import { Resets } from "../../domain/authentication/Resets.ts"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"
import { codeSent } from "./CodeSent.ts"

const addressKnown = HttpServerResponse.empty({ status: 422 })

export const layer = group(
  ForumApi,
  "authEmail",
  Effect.fnUntraced(function* (handlers) {
    const auth = yield* EmailAuth
    const resets = yield* Resets
    const { signedInWith } = yield* makeSessionCookie

    /** The answer to a sign-up; there is no session if the address was known already. */
    const signedUp = Effect.fnUntraced(function* (session: Option.Option<IssuedSession>) {
      return Option.isNone(session) ? addressKnown : yield* signedInWith(session.value)
    })

    return handlers.handleAll({
      signUpWithPassword: ({ payload, query }) =>
        Effect.flatMap(
          fromNetwork((from) => auth.signUpWithPassword(payload, query.invitation_id, from)),
          signedInWith
        ),
      signInWithPassword: ({ payload }) =>
        Effect.flatMap(
          fromNetwork((from) => auth.signInWithPassword(payload, from)),
          signedInWith
        ),
      requestReset: ({ payload }) => fromNetwork((from) => resets.request(payload, from)),
      reset: ({ payload }) =>
        Effect.flatMap(
          fromNetwork((from) => resets.reset(payload, from)),
          signedInWith
        ),
      signUpWithCode: ({ payload, query }) =>
        Effect.flatMap(
          fromNetwork((from) => auth.signUpWithCode(payload, query.invitation_id, from)),
          signedUp
        ),
      requestCode: ({ payload }) =>
        Effect.as(
          fromNetwork((from) => auth.requestCode(payload, from)),
          codeSent
        ),
      verify: ({ payload }) =>
        Effect.flatMap(
          fromNetwork((from) => auth.verify(payload, from)),
          signedInWith
        )
    })
  })
)
