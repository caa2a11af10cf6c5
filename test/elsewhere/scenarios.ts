import { Effect } from "effect"
import { RegistrationClosed, SignInSuspended } from "../../src/domain/authentication/Password.ts"
import {
  ElsewhereRefused,
  IdentityTaken,
  ProviderUnavailable,
  ProviderUnknown,
  TooManyIdentities
} from "../../src/domain/elsewhere/Elsewhere.ts"
import { Cast, guest, nobody, suspend } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { askToLeave, comeBack, enterFrom, google, leave, offerAll, openid } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, tyr } = yield* Cast
  yield* offerAll
  yield* openid.misbehave({ lax: true })
  yield* google.misbehave({ answer: { status: 503, body: {} } })

  const begun = Effect.fnUntraced(function* (sub: string, person = guest, invitation?: string) {
    const { kept, location } = yield* leave("oauth_oidc", person, invitation)
    const claims = { sub, name: sub, email: `${sub}@asgard.test`, email_verified: true }
    return comeBack("oauth_oidc", openid.authorise(location, claims), kept, person)
  })

  yield* enterFrom(openid, { sub: "tyr" }, { person: tyr })
  for (const n of Array(20).keys()) yield* enterFrom(openid, { sub: `loki${n}` }, { person: loki })
  const signUp = yield* begun("sif")
  const lost = yield* begun("lost", guest, nobody)
  const signIn = yield* begun("tyr")
  const addition = yield* begun("freya", freya)
  const taken = yield* begun("tyr", freya)
  const oneMore = yield* begun("loki", loki)
  const gone = yield* leave("oauth_google")
  const outlaw = yield* enterFrom(openid, { sub: "outlaw" })
  yield* suspend(outlaw)
  const suspended = yield* begun("outlaw")
  return [
    { operation: "OAuthProviderStart", call: askToLeave("oauth_oidc"), expects: 302, statements: 1 },
    {
      operation: "OAuthProviderStart",
      when: "unknown",
      call: askToLeave("oauth_github"),
      expects: ProviderUnknown
    },
    {
      operation: "OAuthProviderCallback",
      when: "unknown",
      call: comeBack("x", { state: "x", code: "x" }, undefined),
      expects: ProviderUnknown
    },
    {
      operation: "OAuthProviderCallback",
      when: "of another browser",
      call: comeBack("oauth_oidc", { state: "x", code: "x" }, undefined),
      expects: ElsewhereRefused
    },
    {
      operation: "OAuthProviderCallback",
      when: "of a provider that does not answer",
      call: comeBack("oauth_google", google.authorise(gone.location, { sub: "1" }), gone.kept),
      expects: ProviderUnavailable
    },
    { operation: "OAuthProviderCallback", when: "suspended", call: suspended, expects: SignInSuspended },
    {
      operation: "OAuthProviderCallback",
      when: "without the invitation",
      call: lost,
      expects: RegistrationClosed
    },
    { operation: "OAuthProviderCallback", when: "of another account", call: taken, expects: IdentityTaken },
    {
      operation: "OAuthProviderCallback",
      when: "one too many",
      call: oneMore,
      expects: TooManyIdentities
    },
    { operation: "OAuthProviderCallback", call: signUp, expects: 200, statements: 15 },
    {
      operation: "OAuthProviderCallback",
      when: "for one's own account",
      call: addition,
      expects: 200,
      statements: 9
    },
    { operation: "OAuthProviderCallback", when: "to sign in", call: signIn, expects: 200, statements: 6 }
  ]
})
