/** A provider of OpenID Connect in the web of the tests. It is strict: what is asked wrongly is refused, not guessed. */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign
} from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { ServiceElsewhere } from "../../src/domain/authentication/AuthProvider.ts"
import type { ProviderElsewhere } from "../../src/domain/authentication/ProvidersElsewhere.ts"
import { OutboundFailed, type OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import * as Pages from "./pages.ts"

/** What a provider says of somebody. */
export interface Claims {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** How a provider may misbehave. */
export interface Odd {
  /** Claims of the id token instead of the right ones. */
  readonly token?: Readonly<Record<string, unknown>>
  /** Signs with a key that is not published. */
  readonly foreignKey?: boolean
  /** Takes a code as often as it comes. */
  readonly lax?: boolean
  /** What the token endpoint answers instead. */
  readonly answer?: { readonly status: number; readonly body: unknown }
}

const ecKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const keys = { published: ecKey(), foreign: ecKey() }

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const signed = (claims: unknown, key: KeyObject) => {
  const text = `${encoded({ alg: "ES256", kid: "one", typ: "JWT" })}.${encoded(claims)}`
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" })
  return `${text}.${signature.toString("base64url")}`
}

interface Granted {
  readonly claims: Claims
  readonly nonce: string
  readonly challenge: string
  readonly page: string
}

const secret = "hush/of+the provider"

/** A provider; what else it tells of people, where it has an address to ask. */
export const makeOpenId = (service: ServiceElsewhere, issuer: string, tells?: Claims) => {
  const clientId = `forum-at-${service}`
  const codes = new Map<string, Granted>()
  /** The pages that are registered for the service in the tests. */
  const pages = new RegExp(
    `^(http://(www\\.)?forum\\.test|https://forum\\.example)/auth/${service}/callback$`
  )
  let odd: Odd = {}

  const offered: ProviderElsewhere = { service, issuer, clientId, clientSecret: Redacted.make(secret) }

  const at = (path: string) => `${issuer.replace(/\/$/, "")}${path}`

  /** Somebody signs in at the provider, where the browser was sent: what it brings back. */
  const authorise = (location: string, claims: Claims) => {
    const { origin, pathname, searchParams } = new URL(location)
    const { code_challenge, nonce, redirect_uri, state, ...rest } = Object.fromEntries(searchParams)
    assert.strictEqual(`${origin}${pathname}`, at("/authorize"))
    assert.deepStrictEqual(rest, {
      client_id: clientId,
      response_type: "code",
      scope: "openid profile email",
      code_challenge_method: "S256"
    })
    assert.match(redirect_uri ?? "", pages)
    for (const random of [code_challenge, nonce, state]) assert.match(random ?? "", /^[\w-]{43}$/)
    const code = randomUUID()
    codes.set(code, {
      claims,
      nonce: nonce ?? "",
      challenge: code_challenge ?? "",
      page: redirect_uri ?? ""
    })
    return { code, state: state ?? "" }
  }

  const isClient = ({ headers }: OutboundRequest) => {
    const [, given = ""] = /^Basic (.+)$/.exec(headers?.authorization ?? "") ?? []
    const pair = Buffer.from(given, "base64").toString().split(":")
    return (
      pair.map((part) => decodeURIComponent(part.replaceAll("+", " "))).join(":") === `${clientId}:${secret}`
    )
  }

  const token = (request: OutboundRequest) => {
    if (odd.answer !== undefined) return Pages.json(odd.answer.body, odd.answer.status)
    if (!isClient(request)) return Pages.json({ error: "invalid_client" }, 401)
    const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(request.body?.bytes)))
    const granted = codes.get(form.code ?? "")
    const digest = createHash("sha256")
      .update(form.code_verifier ?? "")
      .digest("base64url")
    const isRight = form.grant_type === "authorization_code" && granted?.page === form.redirect_uri
    if (!isRight || granted?.challenge !== digest) return Pages.json({ error: "invalid_grant" }, 400)
    if (odd.lax !== true) codes.delete(form.code ?? "")
    const now = Math.floor(Date.now() / 1000)
    const { nonce } = granted
    const usual = { iss: issuer, aud: clientId, iat: now, exp: now + 60, nonce, ...granted.claims }
    const key = odd.foreignKey === true ? keys.foreign : keys.published
    return Pages.json({
      access_token: "token-of-the-provider",
      token_type: "Bearer",
      expires_in: 60,
      refresh_token: "refresh-token-of-the-provider",
      id_token: signed({ ...usual, ...odd.token }, key)
    })
  }

  const appear = Effect.sync(() => {
    odd = {}
    Pages.put(
      at("/.well-known/openid-configuration"),
      Pages.json({
        issuer,
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        jwks_uri: at("/keys"),
        ...(tells === undefined ? {} : { userinfo_endpoint: at("/userinfo") }),
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
        authorization_response_iss_parameter_supported: true
      })
    )
    const key = {
      ...createPublicKey(keys.published).export({ format: "jwk" }),
      kid: "one",
      use: "sig",
      alg: "ES256"
    }
    Pages.put(at("/keys"), Pages.json({ keys: [key] }))
    Pages.put(at("/token"), token)
    Pages.put(at("/userinfo"), Pages.json(tells))
  })

  /** Makes the provider misbehave until it is told otherwise. */
  const misbehave = (how: Odd) =>
    Effect.sync(() => {
      odd = how
    })

  const vanish = Effect.sync(() => {
    for (const path of ["/.well-known/openid-configuration", "/keys", "/token"]) {
      Pages.put(at(path), Effect.fail(new OutboundFailed({ url: at(path), reason: "connection" })))
    }
  })

  return { service, offered, appear, authorise, misbehave, vanish } as const
}

export type OpenId = ReturnType<typeof makeOpenId>
