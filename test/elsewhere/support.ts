/** Signing in elsewhere in the tests: each helper is one step of what a browser does. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, ok } from "../support/answers.ts"
import { type Claims, makeOpenId, type OpenId } from "../support/openid.ts"
import { guest, type Person, personIn } from "../support/people.ts"
import * as Providers from "../support/providers.ts"

/** The address of nobody has a slash at its end in the first and none in the second, as it may. */
export const keycloak = makeOpenId("oauth_keycloak", "https://keycloak.test/realms/asgard")
export const openid = makeOpenId("oauth_oidc", "https://id.test/")
export const google = makeOpenId("oauth_google", "https://accounts.google.com")

/** Makes the service offer all of them. */
export const offerAll = Effect.gen(function* () {
  for (const provider of [google, keycloak, openid]) yield* provider.appear
  yield* Providers.offer(google.offered, keycloak.offered, { ...openid.offered, name: "Valhalla" })
})

/** Where a browser is sent, and what it keeps. */
export interface Left {
  readonly location: string
  readonly kept: string
}

export const keptOf = (answer: Answer): string =>
  /forum-elsewhere=([^;]+);/.exec(answer.headers["set-cookie"] ?? "")?.[1] ??
  assert.fail(`Nothing is kept: ${answer.text}`)

const cookies = ({ cookie }: Person, kept: string | undefined) => {
  const both = [
    ...(cookie === undefined ? [] : [`forum-session=${cookie}`]),
    ...(kept === undefined ? [] : [`forum-elsewhere=${kept}`])
  ]
  return both.length === 0 ? {} : { cookie: both.join("; ") }
}

export const askToLeave = (provider: string, person: Person = guest, invitation?: string) =>
  person.get(`/auth/oauth/${provider}/start${invitation === undefined ? "" : `?invitation_id=${invitation}`}`)

export const leave = (provider: string, person: Person = guest, invitation?: string) =>
  Effect.map(askToLeave(provider, person, invitation), (answer): Left => {
    assert.strictEqual(answer.status, 302, answer.text)
    return { location: answer.headers.location ?? "", kept: keptOf(answer) }
  })

export const comeBack = (
  provider: string,
  brought: { readonly state: string; readonly code: string },
  kept: string | undefined,
  person: Person = guest
) => person.post(`/auth/oauth/${provider}/callback`, brought, cookies(person, kept))

/** The whole way of somebody whom a provider knows so. */
export const goElsewhere = Effect.fnUntraced(function* (
  provider: OpenId,
  claims: Claims,
  { invitation, person = guest }: { readonly person?: Person; readonly invitation?: string } = {}
) {
  const { kept, location } = yield* leave(provider.service, person, invitation)
  return yield* comeBack(provider.service, provider.authorise(location, claims), kept, person)
})

/** The same, where it succeeds. */
export const enterFrom = Effect.fnUntraced(function* (
  provider: OpenId,
  claims: Claims,
  options: { readonly person?: Person; readonly invitation?: string } = {}
) {
  const answer = yield* goElsewhere(provider, claims, options)
  ok(answer)
  return personIn(answer)
})
