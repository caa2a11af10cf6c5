import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { AuthProviders } from "../../domain/authentication/AuthProviders.ts"
import { PasswordAuth } from "../../domain/authentication/PasswordAuth.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { addressOf, Deployment } from "../../domain/settings/Deployment.ts"
import { ForumApi } from "../Api.ts"
import { credentialsOf } from "../pipeline/Authentication.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"

/** The web address with the path, query and fragment of `redirect`, whose host is ignored. */
const destination = (web: URL, redirect = "") => {
  const asked = redirect === "" ? null : URL.parse(redirect, web)
  // The text after `javascript:` or `mailto:` is not a path; after our host it could name another host.
  if (asked === null || !asked.pathname.startsWith("/")) return addressOf(web)
  return `${web.origin}${asked.pathname.replace(/^\/{2,}/, "/")}${asked.search}${asked.hash}`
}

export const layer = group(
  ForumApi,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const passwords = yield* PasswordAuth
    const providers = yield* AuthProviders
    const sessions = yield* Sessions
    const deployment = yield* Deployment
    const { signedInWith, withoutSession } = yield* makeSessionCookie

    const signOut = Effect.fnUntraced(function* (redirect: string | undefined) {
      yield* sessions.end(credentialsOf(yield* HttpServerRequest.HttpServerRequest))
      const response = HttpServerResponse.empty({
        status: 302,
        headers: {
          location: destination(deployment.webUrl, redirect),
          "cache-control": "no-cache, no-store, must-revalidate",
          "clear-site-data": `"cache", "cookies", "storage", "executionContexts"`
        }
      })
      return withoutSession(response)
    })

    return handlers.handleAll({
      listProviders: () => providers.list,
      signUp: ({ payload, query }) =>
        Effect.flatMap(
          fromNetwork((from) => passwords.signUp(payload, query.invitation_id, from)),
          signedInWith
        ),
      signIn: ({ payload }) =>
        Effect.flatMap(
          fromNetwork((from) => passwords.signIn(payload, from)),
          signedInWith
        ),
      addPassword: ({ payload }) => Effect.flatMap(passwords.add(payload.password), signedInWith),
      changePassword: ({ payload }) => Effect.flatMap(passwords.change(payload), signedInWith),
      signOut: ({ query }) => signOut(query.redirect)
    })
  })
)
