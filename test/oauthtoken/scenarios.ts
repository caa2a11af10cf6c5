import { Effect } from "effect"
import { AccessTokenRequired, AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { createOwn } from "../support/clients.ts"
import { withKey } from "../support/keys.ts"
import { Cast, grant, guest, type Person, personByKey, signUp, suspend } from "../support/people.ts"
import type { Scenario, Scenarios } from "../support/scenarios.ts"
import { askFor, basic, postForm } from "../support/tokens.ts"

const grant_type = "client_credentials"

const createProgram = (person: Person) =>
  createOwn(person, { type: "confidential", redirect_uris: [], allowed_grants: [grant_type] })

/** Someone who calls by a client of their own. */
const byClientOf = Effect.fnUntraced(function* (person: Person) {
  const { client, client_secret } = yield* createProgram(person)
  const { access_token } = ok(yield* askFor({ grant_type }, basic(client.client_id, client_secret)))
  return personByKey(access_token, person.id)
})

const ofUserInfo = (operation: string, ask: (person: Person) => Scenario["call"]) =>
  Effect.gen(function* () {
    const { odin } = yield* Cast
    const idle = yield* signUp(`idle-${operation.toLowerCase()}`)
    yield* grant(idle, "ADMINISTRATOR")
    const byIdle = yield* byClientOf(idle)
    yield* suspend(idle)
    const scenarios: ReadonlyArray<Scenario> = [
      { operation, when: "by a token", call: ask(yield* byClientOf(odin)), expects: 200, statements: 2 },
      { operation, when: "by a guest", call: ask(guest), expects: Unauthenticated },
      { operation, when: "by a session", call: ask(odin), expects: Unauthenticated },
      { operation, when: "by a key", call: ask(yield* withKey(odin)), expects: AccessTokenRequired },
      { operation, when: "for a suspended account", call: ask(byIdle), expects: AccountSuspended }
    ]
    return scenarios
  })

export const scenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { client, client_secret } = yield* createProgram(odin)
  // Who asks for the key first makes it.
  yield* guest.get("/oauth/jwks")
  return [
    {
      operation: "OAuthToken",
      when: "for the owner of the client",
      call: askFor({ grant_type }, basic(client.client_id, client_secret)),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthToken",
      when: "with the wrong secret",
      call: askFor({ grant_type }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    },
    {
      operation: "OAuthToken",
      when: "with the wrong secret in the form",
      call: askFor({ grant_type, client_id: client.client_id, client_secret: "fos_wrong" }),
      expects: "invalid_client"
    },
    {
      operation: "OAuthIntrospect",
      call: postForm("/oauth/introspect", { token: "x".repeat(43) }, basic(client.client_id, client_secret)),
      expects: 200,
      statements: 2
    },
    {
      operation: "OAuthIntrospect",
      when: "by a client without a secret",
      call: postForm("/oauth/introspect", { token: "x", client_id: "forum-cli" }),
      expects: "invalid_client"
    },
    {
      operation: "OAuthIntrospect",
      when: "with the wrong secret",
      call: postForm("/oauth/introspect", { token: "x" }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    },
    {
      operation: "OAuthRevoke",
      call: postForm("/oauth/revoke", { token: "x".repeat(43), client_id: "forum-cli" }),
      expects: 200,
      statements: 2
    },
    {
      operation: "OAuthRevoke",
      when: "without a token",
      call: postForm("/oauth/revoke", { client_id: "forum-cli" }),
      expects: "invalid_request"
    },
    {
      operation: "OAuthRevoke",
      when: "with the wrong secret",
      call: postForm("/oauth/revoke", { token: "x" }, basic(client.client_id, "fos_wrong")),
      expects: "invalid_client"
    },
    ...(yield* ofUserInfo("OAuthUserInfo", (person) => person.get("/oauth/userinfo"))),
    ...(yield* ofUserInfo("OAuthUserInfoByPost", (person) => person.post("/oauth/userinfo")))
  ]
})
