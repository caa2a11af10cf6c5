/** The flows of OAuth with strict clients that others have written. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { HttpServer } from "effect/http"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { ok } from "../support/answers.ts"
import { decide, leadsTo, redirectUri } from "../support/authorisations.ts"
import { createClient, createOwn } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person } from "../support/people.ts"

const issuer = "http://forum.test"

/** Reaches the service at its public address, which has no name on this machine. */
const makeFetch = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  return (url: string, options: openid.CustomFetchOptions) =>
    fetch(url.replace(issuer, `http://127.0.0.1:${port}`), {
      ...options,
      body: options.body ?? null
    } as RequestInit)
})

/** How far the clock of the tests is from that of the client, in seconds. */
const skew = Effect.map(DateTime.now, (now) => Math.round((DateTime.toEpochMillis(now) - Date.now()) / 1000))

/** The service as a client finds it out, which also checks signatures by the published keys. */
const discovered = Effect.fnUntraced(function* (clientId: string, secret?: string) {
  const fetched = yield* makeFetch
  const clock = { [openid.clockSkew]: yield* skew }
  const configuration = yield* Effect.promise(() =>
    openid.discovery(
      new URL(issuer),
      clientId,
      clock,
      secret === undefined ? openid.None() : openid.ClientSecretBasic(secret),
      { execute: [openid.allowInsecureRequests], [openid.customFetch]: fetched }
    )
  )
  openid.enableNonRepudiationChecks(configuration)
  return configuration
})

/** Goes where a client sends a browser, and approves. */
const approving = Effect.fnUntraced(function* (person: Person, address: URL) {
  const page = leadsTo(yield* person.get(`${address.pathname.replace("/api", "")}${address.search}`))
  const { location } = ok(yield* decide(person, page.searchParams.get("request_id") ?? "", "approve"))
  return new URL(location)
})

const signedIn = Effect.fnUntraced(function* (
  configuration: openid.Configuration,
  person: Person,
  scope: string
) {
  const [verifier, state, nonce] = [
    openid.randomPKCECodeVerifier(),
    openid.randomState(),
    openid.randomNonce()
  ]
  const challenge = yield* Effect.promise(() => openid.calculatePKCECodeChallenge(verifier))
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256"
  })
  const returned = yield* approving(person, address)
  return yield* Effect.promise(() =>
    openid.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: scope.includes("openid")
    })
  )
})

layer(People.layer)("openid-client", (it) => {
  it.effect("signs somebody in, comes back later, and ends what it was granted", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const { client_id } = yield* createClient(odin, odin, { allowed_scopes: ["CREATE_POST"] })
      const configuration = yield* discovered(client_id)
      const scope = "openid profile email offline_access CREATE_POST"
      const tokens = yield* signedIn(configuration, freya, scope)
      assert.strictEqual(tokens.scope, scope)
      assert.deepInclude(tokens.claims(), { sub: freya.id, aud: client_id, name: "freya" })
      const again = yield* Effect.promise(() =>
        openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
      )
      assert.strictEqual(again.claims()?.sub, freya.id)
      yield* Effect.promise(() => openid.tokenRevocation(configuration, again.refresh_token ?? ""))
      const refused = yield* Effect.flip(
        Effect.tryPromise(() => openid.refreshTokenGrant(configuration, again.refresh_token ?? ""))
      )
      assert.deepInclude(refused.cause, { error: "invalid_grant", status: 400 })
    })
  )

  it.effect("acts by itself with a secret, and asks what its token is worth", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, client_secret } = yield* createOwn(odin, {
        type: "confidential",
        redirect_uris: [],
        allowed_grants: ["client_credentials"]
      })
      const configuration = yield* discovered(client.client_id, client_secret)
      const tokens = yield* Effect.promise(() =>
        openid.clientCredentialsGrant(configuration, { scope: "READ_PUBLISHED_THREADS" })
      )
      const worth = yield* Effect.promise(() => openid.tokenIntrospection(configuration, tokens.access_token))
      assert.deepInclude(worth, { active: true, sub: odin.id, client_id: client.client_id })
    })
  )

  it.effect("refuses an answer that seems to come from another server", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* createClient(odin, odin)
      const configuration = yield* discovered(client_id)
      const verifier = openid.randomPKCECodeVerifier()
      const challenge = yield* Effect.promise(() => openid.calculatePKCECodeChallenge(verifier))
      const address = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        code_challenge: challenge,
        code_challenge_method: "S256"
      })
      const returned = yield* approving(odin, address)
      returned.searchParams.set("iss", "http://other.test")
      const refused = yield* Effect.flip(
        Effect.tryPromise(() =>
          openid.authorizationCodeGrant(configuration, returned, { pkceCodeVerifier: verifier })
        )
      )
      const { cause } = refused
      assert.instanceOf(cause, openid.ClientError)
      assert.match(String(cause instanceof Error ? cause.cause : ""), /"iss"/)
    })
  )
})

layer(People.layer)("oauth4webapi", (it) => {
  it.effect("takes the documents, the redirect, the tokens and the failures for what the standards say", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* createClient(odin, odin, { allowed_scopes: ["CREATE_POST"] })
      const fetched = yield* makeFetch
      const insecure = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetched } as const
      const server = yield* Effect.promise(async () => {
        const answer = await oauth.discoveryRequest(new URL(issuer), { algorithm: "oauth2", ...insecure })
        return oauth.processDiscoveryResponse(new URL(issuer), answer)
      })
      const client = { client_id, [oauth.clockSkew]: yield* skew }
      const verifier = oauth.generateRandomCodeVerifier()
      const address = new URL(server.authorization_endpoint ?? "")
      const challenge = yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier))
      for (const [name, value] of Object.entries({
        response_type: "code",
        client_id,
        redirect_uri: redirectUri,
        scope: "CREATE_POST offline_access",
        state: "harbour",
        code_challenge: challenge,
        code_challenge_method: "S256"
      })) {
        address.searchParams.set(name, value)
      }
      const returned = oauth.validateAuthResponse(server, client, yield* approving(odin, address), "harbour")
      const exchange = () =>
        oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          returned,
          redirectUri,
          verifier,
          insecure
        )
      const tokens = yield* Effect.promise(async () =>
        oauth.processAuthorizationCodeResponse(server, client, await exchange())
      )
      assert.deepInclude(tokens, {
        token_type: "bearer",
        expires_in: 900,
        scope: "CREATE_POST offline_access"
      })
      const refused = yield* Effect.flip(
        Effect.tryPromise(async () =>
          oauth.processAuthorizationCodeResponse(server, client, await exchange())
        )
      )
      assert.instanceOf(refused.cause, oauth.ResponseBodyError)
      assert.deepInclude(refused.cause, { error: "invalid_grant", status: 400 })
    })
  )
})
