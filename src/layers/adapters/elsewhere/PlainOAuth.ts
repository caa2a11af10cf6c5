/** Providers that speak OAuth 2 without OpenID: they give a token for the code, and tell who it is of for the token. */
import { Effect, Redacted, Schema } from "effect"
import { Digest } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { ProviderElsewhere } from "../../../domain/authentication/ProvidersElsewhere.ts"
import {
  AnswerRefused,
  type Identity,
  type IdentityProviders,
  type Proofs,
  ProviderFailed
} from "../../../domain/elsewhere/IdentityProviders.ts"
import { Outbound, type OutboundRequest } from "../../../domain/outbound/Outbound.ts"

/** Reads what the provider tells for the token, at an address of its own. */
export type Ask = <A>(url: string, schema: Schema.Decoder<A>) => Effect.Effect<A, ProviderFailed>

/** What is particular about a provider. */
export interface Dialect {
  readonly authorise: string
  readonly token: string
  readonly scope: string
  /** Who the token is of. */
  readonly whoIs: (ask: Ask) => Effect.Effect<Identity, ProviderFailed>
}

const Granted = Schema.fromJsonString(Schema.Struct({ access_token: Schema.String }))

const Refused = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))

/** What providers call a code that is not theirs, is used, or is of another sign-in. */
const wrongCodes = new Set(["invalid_grant", "bad_verification_code"])

const limits = {
  accept: "application/json",
  maxBytes: 512 * 1024,
  beyond: "failure",
  redirects: 0,
  within: "5 seconds"
} as const

const bytesOf = (text: string) => new TextEncoder().encode(text)

const failed = (why: unknown) => new ProviderFailed({ why })

const isSuccess = (status: number) => status >= 200 && status < 300

export const makePlainOAuth = Effect.gen(function* () {
  const outbound = yield* Outbound
  const digest = yield* Digest.Digest

  const send = (request: Pick<OutboundRequest, "url" | "body" | "headers">) =>
    Effect.map(Effect.mapError(outbound.send({ ...limits, ...request }), failed), ({ body, status }) => ({
      status,
      text: new TextDecoder().decode(body)
    }))

  /** The token that the provider gives for the code; some answer that they give none with the status of a success. */
  const tokenFor = Effect.fnUntraced(function* (
    dialect: Dialect,
    { clientId, clientSecret }: ProviderElsewhere,
    page: string,
    { verifier }: Proofs,
    code: string
  ) {
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      client_secret: Redacted.value(clientSecret),
      code,
      redirect_uri: page,
      code_verifier: verifier
    })
    const body = { contentType: "application/x-www-form-urlencoded", bytes: bytesOf(form.toString()) }
    const { status, text } = yield* send({ url: dialect.token, body })
    const refusal = Schema.decodeUnknownOption(Refused)(text)
    if (refusal._tag === "Some") {
      const { error } = refusal.value
      return yield* wrongCodes.has(error) ? new AnswerRefused({ why: error }) : failed(error)
    }
    if (!isSuccess(status)) return yield* failed(`The token endpoint answered ${status}`)
    return yield* Effect.mapError(Schema.decodeUnknownEffect(Granted)(text), failed)
  })

  const askWith =
    (token: string): Ask =>
    (url, schema) =>
      Effect.flatMap(send({ url, headers: { authorization: `Bearer ${token}` } }), ({ status, text }) =>
        isSuccess(status)
          ? Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text), failed)
          : Effect.fail(failed(`${url} answered ${status}`))
      )

  return (dialect: Dialect): IdentityProviders["Service"] => ({
    addressOf: Effect.fnUntraced(function* ({ clientId }, page, { state, verifier }) {
      const challenge = yield* digest.digest(Digest.sha256, bytesOf(verifier))
      const address = new URL(dialect.authorise)
      address.search = new URLSearchParams({
        client_id: clientId,
        response_type: "code",
        redirect_uri: page,
        scope: dialect.scope,
        state,
        code_challenge: Base64Url.encode(challenge),
        code_challenge_method: "S256"
      }).toString()
      return address.href
    }),

    identify: (provider, page, proofs, code) =>
      Effect.flatMap(tokenFor(dialect, provider, page, proofs, code), ({ access_token }) =>
        dialect.whoIs(askWith(access_token))
      )
  })
})
