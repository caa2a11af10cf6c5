/** The flows of OAuth with strict clients that others have written. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { ok } from "../support/answers.ts"
import { decide, leadsTo, redirectUri } from "../support/authorisations.ts"
import { createClient, createOwn, initialToken } from "../support/clients.ts"
import { approve, createDeviceClient, decide as decideOnDevice, show } from "../support/devices.ts"
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

/**
 * Lets a device ask for its tokens until it has them or is refused. Before each time after the first, as many seconds
 * pass here as it waits, in which it would wait itself, and somebody does what comes next.
 */
const polled = Effect.fnUntraced(function* <E = never, R = never>(
  configuration: openid.Configuration,
  device: openid.DeviceAuthorizationResponse,
  meanwhile: ReadonlyArray<Effect.Effect<unknown, E, R>>
) {
  const fetched = yield* makeFetch
  const run = Effect.runPromiseWith(yield* Effect.context<R>())
  const steps = [Effect.void, ...meanwhile][Symbol.iterator]()
  configuration[openid.customFetch] = async (url, options) => {
    const step = steps.next()
    if (url.endsWith("/oauth/token") && step.done !== true) {
      await run(Effect.andThen(TestClock.adjust(`${device.interval ?? 5} seconds`), step.value))
    }
    return fetched(url, options)
  }
  return yield* Effect.tryPromise(() =>
    openid.pollDeviceAuthorizationGrant(configuration, { ...device, interval: 0 })
  )
})

layer(People.layer)("openid-client on a device", (it) => {
  const begun = Effect.gen(function* () {
    const { freya, odin } = yield* Cast
    yield* grant(freya, "USE_OAUTH_CLIENTS")
    const { client_id } = yield* createDeviceClient(odin, odin)
    const configuration = yield* discovered(client_id)
    const scope = "openid offline_access CREATE_POST"
    const device = yield* Effect.promise(() => openid.initiateDeviceAuthorization(configuration, { scope }))
    return { client_id, configuration, device, freya, scope }
  })

  it.effect("waits until somebody approves, and comes back later", () =>
    Effect.gen(function* () {
      const { client_id, configuration, device, freya, scope } = yield* begun
      assert.deepInclude(device, { interval: 5, expires_in: 600 })
      const page = new URL(device.verification_uri_complete ?? "")
      const code = page.searchParams.get("user_code") ?? ""
      assert.strictEqual(code, device.user_code)
      const tokens = yield* polled(configuration, device, [show(freya, code), decideOnDevice(freya, code)])
      assert.strictEqual(tokens.scope, scope)
      assert.deepInclude(tokens.claims(), { sub: freya.id, aud: client_id })
      const again = yield* Effect.promise(() =>
        openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
      )
      assert.strictEqual(again.scope, scope)
    })
  )

  it.effect("is told that somebody has denied", () =>
    Effect.gen(function* () {
      const { configuration, device, freya } = yield* begun
      const deny = Effect.andThen(
        show(freya, device.user_code),
        decideOnDevice(freya, device.user_code, "deny")
      )
      const refused = yield* Effect.flip(polled(configuration, device, [deny]))
      assert.deepInclude(refused.cause, { error: "access_denied", status: 400 })
    })
  )

  it.effect("is told that its time is over, and that its tokens were got before", () =>
    Effect.gen(function* () {
      const late = yield* begun
      const over = yield* Effect.flip(
        polled(late.configuration, late.device, [TestClock.adjust("10 minutes")])
      )
      assert.deepInclude(over.cause, { error: "expired_token", status: 400 })
      const { configuration, device, freya } = yield* begun
      yield* approve(freya, device.user_code)
      yield* polled(configuration, device, [])
      const again = yield* Effect.flip(polled(configuration, device, []))
      assert.deepInclude(again.cause, { error: "invalid_grant", status: 400 })
    })
  )
})

layer(People.layer)("openid-client that registers", (it) => {
  const registering = Effect.fnUntraced(function* (
    metadata: Partial<openid.ClientMetadata>,
    initialAccessToken: string
  ) {
    const fetched = yield* makeFetch
    const clock = { [openid.clockSkew]: yield* skew }
    return yield* Effect.tryPromise(() =>
      openid.dynamicClientRegistration(
        new URL(issuer),
        { client_name: "Tide tables", redirect_uris: [redirectUri], ...metadata, ...clock },
        metadata.token_endpoint_auth_method === "none" ? openid.None() : undefined,
        { execute: [openid.allowInsecureRequests], [openid.customFetch]: fetched, initialAccessToken }
      )
    )
  })

  for (const method of ["none", "client_secret_basic", "client_secret_post"] as const) {
    it.effect(`signs somebody in with what it registered, with the method ${method}`, () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        yield* grant(freya, "USE_OAUTH_CLIENTS")
        const configuration = yield* registering(
          { token_endpoint_auth_method: method },
          yield* initialToken(odin)
        )
        const { client_id, client_secret } = configuration.clientMetadata()
        assert.strictEqual(client_secret === undefined, method === "none")
        openid.enableNonRepudiationChecks(configuration)
        const tokens = yield* signedIn(configuration, freya, "openid profile offline_access")
        assert.deepInclude(tokens.claims(), { sub: freya.id, aud: client_id, name: "freya" })
        const again = yield* Effect.promise(() =>
          openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
        )
        assert.strictEqual(again.claims()?.sub, freya.id)
      })
    )
  }

  it.effect("is told that its token is not valid, and what is wrong with what it says", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const unknown = yield* Effect.flip(registering({}, `fiat_${"x".repeat(43)}`))
      assert.deepInclude(unknown.cause, { code: "OAUTH_WWW_AUTHENTICATE_CHALLENGE", status: 401 })
      const token = yield* initialToken(odin, { max_registrations: 1 })
      const refused = yield* Effect.flip(registering({ redirect_uris: ["http://tides.example/"] }, token))
      assert.deepInclude(refused.cause, { error: "invalid_redirect_uri", status: 400 })
      yield* registering({}, token)
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
