import { DateTime, Effect, Redacted } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/instance/Deployment.ts"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { sessionCookie } from "./Access.ts"

/** Host-only, and `Secure` where the service is reached by https, so that plain-http clients on localhost keep it. */
const attributes = (deployment: Deployment["Service"]) =>
  ({
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: deployment.publicUrl.protocol === "https:"
  }) as const

/** The session cookie, as this deployment sets and clears it. */
export const makeSessionCookie = Effect.map(Deployment, (deployment) => ({
  /** Sends the session's cookie with the running request's answer, and answers whose it is. */
  signedInWith: (session: IssuedSession) =>
    Effect.as(
      HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.orDie(
          HttpServerResponse.setCookie(response, sessionCookie, Redacted.value(session.token), {
            ...attributes(deployment),
            expires: DateTime.toDateUtc(session.expiresAt)
          })
        )
      ),
      { id: session.accountId }
    ),

  /** The response, and that the browser forgets the session. */
  withoutSession: (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.expireCookieUnsafe(response, sessionCookie, attributes(deployment))
}))
