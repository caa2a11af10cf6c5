import { DateTime, Effect, Redacted } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { sessionCookie } from "../contract/AccessPolicies.ts"

/**
 * The attributes of a cookie, which is for this host only. It is `Secure` only if the service is reached by https,
 * since clients drop such a cookie over plain http.
 */
export const attributes = (deployment: Deployment["Service"]) =>
  ({
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: deployment.publicUrl.protocol === "https:"
  }) as const

/** The session cookie, as this deployment sets and clears it. */
export const makeSessionCookie = Effect.map(Deployment, (deployment) => {
  /** The response, which also sets the cookie of the session. */
  const withSession = (session: IssuedSession) => (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setCookieUnsafe(response, sessionCookie, Redacted.value(session.token), {
      ...attributes(deployment),
      expires: DateTime.toDateUtc(session.expiresAt)
    })

  return {
    withSession,

    /** Sets the cookie of the session in the response to the current request. */
    signedInWith: (session: IssuedSession) =>
      Effect.as(
        HttpEffect.appendPreResponseHandler((_request, response) =>
          Effect.sync(() => withSession(session)(response))
        ),
        { id: session.accountId }
      ),

    /** The response, which also sets the cookie as empty and expired, so that clients remove it. */
    withoutSession: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.setCookieUnsafe(response, sessionCookie, "", {
        ...attributes(deployment),
        expires: new Date(0)
      })
  }
})
