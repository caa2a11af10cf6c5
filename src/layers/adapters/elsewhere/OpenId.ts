/** Providers that speak OpenID Connect, with the package openid-client, which is loaded when somebody first signs in so. */
import { Cache, Effect, Exit, Redacted } from "effect"
import type { ProviderElsewhere } from "../../../domain/authentication/ProvidersElsewhere.ts"
import {
  AnswerRefused,
  type Identity,
  type IdentityProviders,
  ProviderFailed
} from "../../../domain/elsewhere/IdentityProviders.ts"
import { type Fetch, makeGuardedFetch } from "./GuardedFetch.ts"

type Library = typeof import("openid-client")

type Configuration = InstanceType<Library["Configuration"]>

/** What providers of OpenID are asked for: who it is, and what sign-up makes a handle and an address of. */
const scope = "openid profile email"

// Keys and addresses of providers change seldom, and the old ones stay for some time.
const discoveredFor = "1 hour"

// Who comes in between does not wait for a provider that does not answer.
const failedFor = "5 seconds"

const isHttp = ({ protocol }: URL) => protocol === "http:"

const discover = async (library: Library, fetch: Fetch, provider: ProviderElsewhere) => {
  const { clientId, clientSecret, issuer = "" } = provider
  const server = new URL(issuer)
  const secret = Redacted.value(clientSecret)
  const configuration = await library.discovery(server, clientId, undefined, undefined, {
    [library.customFetch]: fetch,
    // The settings allow it for this machine only.
    execute: isHttp(server) ? [library.allowInsecureRequests] : []
  })
  const methods = configuration.serverMetadata().token_endpoint_auth_methods_supported
  const isPost = methods !== undefined && !methods.includes("client_secret_basic")
  const authenticated = new library.Configuration(
    configuration.serverMetadata(),
    clientId,
    undefined,
    isPost ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret)
  )
  authenticated[library.customFetch] = fetch
  if (isHttp(server)) library.allowInsecureRequests(authenticated)
  // The signature is checked although the token comes from the provider itself.
  library.enableNonRepudiationChecks(authenticated)
  return authenticated
}

/** Codes of failures that say that the answer is not the one that was asked for. */
const refusals = new Set([
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_INVALID_RESPONSE"
])

/** Tells what the browser brought from what is wrong with the provider, or with its settings. */
const failureOf =
  (library: Library) =>
  (why: unknown): AnswerRefused | ProviderFailed => {
    const isRefusal =
      why instanceof library.ResponseBodyError
        ? why.error === "invalid_grant"
        : why instanceof library.ClientError && refusals.has(why.code ?? "")
    return isRefusal ? new AnswerRefused({ why }) : new ProviderFailed({ why })
  }

const textsOf = (...claims: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  claims.filter((claim) => typeof claim === "string")

/** What a provider says of somebody. */
type Told = Readonly<Record<string, unknown>>

/** The person in what the provider says of them; only an address that it has verified counts. */
const identityOf = (issuer: string, subject: string, claims: Told): Identity => ({
  issuer,
  subject,
  names: textsOf(claims.preferred_username, claims.nickname, claims.name, claims.given_name),
  verifiedEmail: claims.email_verified === true && typeof claims.email === "string" ? claims.email : undefined
})

/** The address of our page as the browser came back to it, which the library reads. */
const returned = (configuration: Configuration, page: string, code: string, state: string) => {
  const address = new URL(page)
  address.searchParams.set("code", code)
  address.searchParams.set("state", state)
  // Clients send state and code alone. That no other provider has answered, the page tells, which each has one of.
  address.searchParams.set("iss", configuration.serverMetadata().issuer)
  return address
}

const identifyWith = async (
  library: Library,
  configuration: Configuration,
  address: URL,
  { nonce, state, verifier }: Parameters<IdentityProviders["Service"]["identify"]>[2]
): Promise<Identity> => {
  const tokens = await library.authorizationCodeGrant(configuration, address, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new TypeError("There is no id token")
  const isTold = claims.email !== undefined && claims.name !== undefined
  const isAsked = !isTold && configuration.serverMetadata().userinfo_endpoint !== undefined
  const more: Told = isAsked
    ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    : {}
  // Whether an address is verified says who tells the address.
  const { email, email_verified }: Told = claims.email === undefined ? more : claims
  return identityOf(claims.iss, claims.sub, { ...more, ...claims, email, email_verified })
}

export const makeOpenId = Effect.gen(function* () {
  const fetch = yield* makeGuardedFetch
  const library = yield* Effect.cached(Effect.promise(() => import("openid-client")))

  const configurations = yield* Cache.makeWith(
    (provider: ProviderElsewhere) =>
      Effect.flatMap(library, (loaded) =>
        Effect.tryPromise({
          try: () => discover(loaded, fetch, provider),
          catch: (why) => new ProviderFailed({ why })
        })
      ),
    { capacity: 10, timeToLive: (exit) => (Exit.isSuccess(exit) ? discoveredFor : failedFor) }
  )

  return {
    addressOf: Effect.fnUntraced(function* (provider, page, { nonce, state, verifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = yield* library
      const configuration = yield* Cache.get(configurations, provider)
      const challenge = yield* Effect.promise(() => calculatePKCECodeChallenge(verifier))
      return yield* Effect.try({
        try: () =>
          buildAuthorizationUrl(configuration, {
            redirect_uri: page,
            scope,
            state,
            nonce,
            code_challenge: challenge,
            code_challenge_method: "S256"
          }).href,
        catch: (why) => new ProviderFailed({ why })
      })
    }),

    identify: Effect.fnUntraced(function* (provider, page, proofs, code) {
      const loaded = yield* library
      const configuration = yield* Cache.get(configurations, provider)
      const address = returned(configuration, page, code, proofs.state)
      return yield* Effect.tryPromise({
        try: () => identifyWith(loaded, configuration, address, proofs),
        catch: failureOf(loaded)
      })
    })
  } satisfies IdentityProviders["Service"]
})
