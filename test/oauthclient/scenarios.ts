import { Effect } from "effect"
import {
  InitialAccessTokenExpiryInvalid,
  InitialAccessTokenNotFound
} from "../../src/domain/oauthclient/InitialAccessToken.ts"
import {
  OAuthClientBuiltIn,
  OAuthClientIdTaken,
  OAuthClientInvalid,
  OAuthClientNotFound,
  OAuthClientNotYours,
  OAuthClientOwnerUnknown
} from "../../src/domain/oauthclient/OAuthClient.ts"
import { CookieRequired, Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import {
  administrative,
  clientFor,
  createClient,
  createOwn,
  initialToken,
  initialTokens,
  own,
  ownClient,
  register,
  registrationOf,
  saidBy
} from "../support/clients.ts"
import { permission, withKey } from "../support/keys.ts"
import { Cast, grant, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

const builtIn = `${administrative}/000000000000000000c0`

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* grant(odin, permission)
  const program = yield* withKey(odin)
  const theirs = yield* createClient(odin, freya)
  const confidential = clientFor(freya, { type: "confidential", allowed_grants: ["client_credentials"] })
  const { client: mine } = yield* createOwn(odin)
  const initial = ok(yield* odin.post(initialTokens, { expires_in: 60 }))
  const token = yield* initialToken(odin)
  const { json: client } = yield* register(token)
  const { json: other } = yield* register(token)
  const { client_id } = client
  const registered = registrationOf(client_id, client.registration_access_token)
  const leaving = registrationOf(other.client_id, other.registration_access_token)
  const [one, another] = [`${own}/${mine.id}`, `${own}/${theirs.id}`]
  const changes = { name: "Library", redirect_uris: ["https://library.example/callback"] }
  return [
    { operation: "AdminOAuthClientList", call: odin.get(administrative), expects: 200, statements: 2 },
    {
      operation: "AdminOAuthClientList",
      when: "by a key",
      call: program.get(administrative),
      expects: 200,
      statements: 2
    },
    {
      operation: "AdminOAuthClientList",
      when: "by a member",
      call: freya.get(administrative),
      expects: Forbidden
    },
    {
      operation: "AdminOAuthClientCreate",
      call: odin.post(administrative, confidential),
      expects: 200,
      statements: 4
    },
    {
      operation: "AdminOAuthClientCreate",
      when: "with an id that is taken",
      call: odin.post(administrative, confidential),
      expects: OAuthClientIdTaken
    },
    {
      operation: "AdminOAuthClientCreate",
      when: "for nobody",
      call: odin.post(administrative, clientFor(freya, { account_id: nobody })),
      expects: OAuthClientOwnerUnknown
    },
    {
      operation: "AdminOAuthClientGet",
      call: odin.get(`${administrative}/${theirs.id}`),
      expects: 200,
      statements: 2
    },
    {
      operation: "AdminOAuthClientGet",
      when: "unknown",
      call: odin.get(`${administrative}/${nobody}`),
      expects: OAuthClientNotFound
    },
    {
      operation: "AdminOAuthClientUpdate",
      call: odin.patch(`${administrative}/${theirs.id}`, changes),
      expects: 200,
      statements: 4
    },
    {
      operation: "AdminOAuthClientUpdate",
      when: "to what it is",
      call: odin.patch(`${administrative}/${theirs.id}`, changes),
      expects: 200,
      statements: 2
    },
    {
      operation: "AdminOAuthClientUpdate",
      when: "built in",
      call: odin.patch(builtIn, changes),
      expects: OAuthClientBuiltIn
    },
    { operation: "OAuthClientList", call: odin.get(own), expects: 200, statements: 2 },
    { operation: "OAuthClientList", when: "by a key", call: program.get(own), expects: CookieRequired },
    { operation: "OAuthClientList", when: "by a member", call: freya.get(own), expects: Forbidden },
    { operation: "OAuthClientCreate", call: odin.post(own, ownClient()), expects: 200, statements: 4 },
    {
      operation: "OAuthClientCreate",
      when: "of a form that there is not",
      call: odin.post(own, ownClient({ pkce_required: false })),
      expects: OAuthClientInvalid
    },
    { operation: "OAuthClientGet", call: odin.get(one), expects: 200, statements: 2 },
    { operation: "OAuthClientGet", when: "another's", call: odin.get(another), expects: "invalid_request" },
    {
      operation: "OAuthClientGet",
      when: "unknown",
      call: odin.get(`${own}/${nobody}`),
      expects: OAuthClientNotFound
    },
    { operation: "OAuthClientUpdate", call: odin.patch(one, changes), expects: 200, statements: 4 },
    {
      operation: "OAuthClientUpdate",
      when: "another's",
      call: odin.patch(another, changes),
      expects: OAuthClientNotYours
    },
    {
      operation: "OAuthClientDelete",
      when: "another's",
      call: odin.delete(another),
      expects: "invalid_request"
    },
    { operation: "OAuthClientDelete", call: odin.delete(one), expects: 204, statements: 4 },
    { operation: "OAuthClientDelete", when: "again", call: odin.delete(one), expects: "invalid_request" },
    {
      operation: "AdminOAuthClientDelete",
      when: "built in",
      call: odin.delete(builtIn),
      expects: OAuthClientBuiltIn
    },
    {
      operation: "AdminOAuthClientDelete",
      call: odin.delete(`${administrative}/${theirs.id}`),
      expects: 204,
      statements: 4
    },
    {
      operation: "AdminOAuthClientDelete",
      when: "again",
      call: odin.delete(`${administrative}/${theirs.id}`),
      expects: OAuthClientNotFound
    },
    {
      operation: "AdminOAuthInitialAccessTokenCreate",
      call: odin.post(initialTokens, { expires_in: 3600, max_registrations: 2, name: "Build machines" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "AdminOAuthInitialAccessTokenCreate",
      when: "without an end",
      call: odin.post(initialTokens, { name: "Build machines" }),
      expects: InitialAccessTokenExpiryInvalid
    },
    {
      operation: "AdminOAuthInitialAccessTokenCreate",
      when: "by a member",
      call: freya.post(initialTokens, { expires_in: 3600 }),
      expects: Forbidden
    },
    {
      operation: "AdminOAuthInitialAccessTokenList",
      call: odin.get(initialTokens),
      expects: 200,
      statements: 2
    },
    {
      operation: "AdminOAuthInitialAccessTokenDelete",
      call: odin.delete(`${initialTokens}/${initial.id}`),
      expects: 204,
      statements: 4
    },
    {
      operation: "AdminOAuthInitialAccessTokenDelete",
      when: "again",
      call: odin.delete(`${initialTokens}/${initial.id}`),
      expects: 204,
      statements: 3
    },
    {
      operation: "AdminOAuthInitialAccessTokenDelete",
      when: "unknown",
      call: odin.delete(`${initialTokens}/${nobody}`),
      expects: InitialAccessTokenNotFound
    },
    {
      operation: "OAuthClientRegister",
      call: register(token),
      expects: 201,
      statements: 8
    },
    {
      operation: "OAuthClientRegister",
      when: "confidential",
      call: register(token, saidBy({ token_endpoint_auth_method: "client_secret_basic" })),
      expects: 201,
      statements: 8
    },
    { operation: "OAuthClientRegister", when: "without a token", call: register(), expects: "invalid_token" },
    {
      operation: "OAuthClientRegister",
      when: "without an address",
      call: register(token, saidBy({ redirect_uris: [] })),
      expects: "invalid_redirect_uri"
    },
    {
      operation: "OAuthClientRegistrationGet",
      call: registered.get,
      expects: 200,
      statements: 2
    },
    {
      operation: "OAuthClientRegistrationGet",
      when: "without its token",
      call: registrationOf(client_id, undefined).get,
      expects: "invalid_token"
    },
    {
      operation: "OAuthClientRegistrationUpdate",
      when: "of another",
      call: registered.put(saidBy({ client_id: "another" })),
      expects: "invalid_client_metadata"
    },
    {
      operation: "OAuthClientRegistrationDelete",
      when: "without its token",
      call: registrationOf(client_id, undefined).delete,
      expects: "invalid_token"
    },
    {
      operation: "OAuthClientRegistrationUpdate",
      call: registered.put(saidBy({ client_id })),
      expects: 200,
      statements: 6
    },
    {
      operation: "OAuthClientRegistrationUpdate",
      when: "with a token that was replaced",
      call: registered.put(saidBy({ client_id })),
      expects: "invalid_token"
    },
    {
      operation: "OAuthClientRegistrationDelete",
      call: leaving.delete,
      expects: 204,
      statements: 4
    }
  ]
})
