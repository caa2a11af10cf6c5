/** The keys that sign tokens, and what others learn of them. */
import { type DateTime, type Redacted, Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Problem } from "../shared/Problem.ts"
import { keySet } from "./SigningExamples.ts"

/** The public half of an RSA key, in base64url (RFC 7518, 6.3.1). */
export interface PublicKey {
  /** The id of the key, which tokens name. */
  readonly kid: string
  readonly n: string
  readonly e: string
}

/** A key that signs. */
export interface KeyPair {
  readonly publicKey: PublicKey
  /** As PKCS#8 in PEM. */
  readonly privateKey: Redacted.Redacted<string>
}

/** When a key begins to sign. */
export interface ScheduledKey extends PublicKey {
  /** Rises from each key to the next. */
  readonly generation: number
  readonly signsFrom: DateTime.Utc
}

const Base64Url = (description: string) =>
  Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]+$/u)).annotate({ description })

const JsonWebKey = Schema.Struct({
  kty: Schema.Literal("RSA").annotate({ description: "The kind of key" }),
  use: Schema.Literal("sig").annotate({ description: "What the key is for: signatures" }),
  alg: Schema.Literal("RS256").annotate({ description: "The algorithm of the signatures" }),
  kid: Schema.String.annotate({ description: "The id of the key, which tokens name in their header" }),
  n: Base64Url("The modulus, big-endian, in base64url"),
  e: Base64Url("The exponent, big-endian, in base64url")
})
  .annotate({ identifier: "OAuthJWK", description: "The public half of a key that signs tokens" })
  .pipe(withExample(keySet.keys[0]))

export const JsonWebKeySet = Schema.Struct({
  keys: Schema.Array(JsonWebKey).annotate({
    description: "One key; while keys are replaced, also the next one, or the one before"
  })
})
  .annotate({
    identifier: "OAuthJWKS",
    description: "The keys by which others check tokens of this service (RFC 7517)"
  })
  .pipe(withExample(keySet))
export interface JsonWebKeySet extends Schema.Schema.Type<typeof JsonWebKeySet> {}

export const toJsonWebKey = ({ e, kid, n }: PublicKey) =>
  ({ kty: "RSA", use: "sig", alg: "RS256", kid, n, e }) as const

export class OAuthDisabled extends Problem<OAuthDisabled>()("OAuthDisabled", {
  status: 404,
  title: "OAuth is not enabled on this instance",
  explanation:
    "Whoever runs the instance has switched OAuth off, so that no program can sign in for an account. Access keys work all the same.",
  metadata: { code: Schema.Literal("oauth_disabled"), suggested: Schema.String }
}) {}

/** The answer of everything that needs OAuth where it is switched off. */
export const oauthDisabled = () =>
  new OAuthDisabled({
    metadata: { code: "oauth_disabled", suggested: "Ask the administrator of the instance to enable OAuth." }
  })
