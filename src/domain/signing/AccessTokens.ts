/** Access tokens: what programs act for an account with, and how the service knows its own. */
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { AccountId } from "../shared/Id.ts"
import { epochSeconds } from "../shared/Seconds.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { readScopes, type Scope } from "../vocabulary/Scope.ts"
import { JsonWebTokens } from "./JsonWebTokens.ts"
import { SigningKeys } from "./SigningKeys.ts"
import { SigningSettings } from "./SigningSettings.ts"
import { type VerifiedToken, VerifiedTokens } from "./VerifiedTokens.ts"

/** Three parts in base64url. No token of this service is longer: all scopes together have 700 characters. */
const form = /^(?=.{1,4096}$)[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** The id of a token is 16 characters of base64url. */
const idBytes = 12

export interface TokenGrant {
  readonly accountId: AccountId
  readonly scopes: ReadonlyArray<Scope>
}

/** What a token says. */
export interface AccessToken extends TokenGrant {
  readonly id: string
  readonly expiresAt: DateTime.Utc
}

export interface IssuedToken extends AccessToken {
  readonly token: Redacted.Redacted<string>
  /** How long it is valid. */
  readonly seconds: number
}

const Claims = Schema.Struct({
  iss: Schema.String,
  aud: Schema.String,
  sub: AccountId,
  exp: Schema.Int,
  iat: Schema.Int,
  jti: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16}$/u)),
  scope: Schema.String
})

const decode = Schema.decodeUnknownOption(Claims)

const tokenOf = ({ exp, jti, scope, sub }: typeof Claims.Type): Option.Option<AccessToken> =>
  Option.map(Option.fromUndefinedOr(readScopes(scope)), (scopes) => ({
    id: jti,
    accountId: sub,
    scopes,
    expiresAt: DateTime.makeUnsafe(exp * 1000)
  }))

const make = Effect.gen(function* () {
  const tokens = yield* JsonWebTokens
  const keys = yield* SigningKeys
  const random = yield* SecureRandom.SecureRandom
  const { oauthEnabled, publicUrl } = yield* Deployment
  const { accessTokenSeconds } = yield* SigningSettings

  const clock = yield* Clock.Clock
  const { hash: hashOf } = yield* makeTokens
  const verified = new VerifiedTokens()

  const issuer = addressOf(publicUrl)
  const audience = `${issuer}/api`

  /** Signs a token for an account. Fails if the key that signs cannot be decrypted. */
  const issue = Effect.fn("AccessTokens.issue")(function* ({ accountId, scopes }: TokenGrant) {
    const iat = epochSeconds(yield* DateTime.now)
    const exp = iat + accessTokenSeconds
    const id = Base64Url.encode(yield* random.randomBytes(idBytes))
    const token = yield* tokens.sign(yield* keys.signer, {
      iss: issuer,
      sub: accountId,
      aud: audience,
      exp,
      iat,
      jti: id,
      scope: scopes.join(" ")
    })
    const issued: IssuedToken = {
      token: Redacted.make(token),
      id,
      accountId,
      scopes,
      expiresAt: DateTime.makeUnsafe(exp * 1000),
      seconds: accessTokenSeconds
    }
    return issued
  })

  /** Whether a token that was checked before would still be taken: by its key, which may be gone, and its time. */
  const isStillValid = ({ key, token }: VerifiedToken) =>
    Effect.map(
      keys.find(key.kid),
      (now) => now?.n === key.n && clock.currentTimeMillisUnsafe() < DateTime.toEpochMillis(token.expiresAt)
    )

  const check = Effect.fnUntraced(function* (text: string, hash: string) {
    const kid = yield* tokens.kidOf(text)
    if (Option.isNone(kid)) return Option.none<AccessToken>()
    const key = yield* keys.find(kid.value)
    if (key === undefined) return Option.none<AccessToken>()
    const claims = yield* tokens.verify(text, key, { issuer, audience, at: yield* DateTime.now })
    const token = claims.pipe(Option.flatMap(decode), Option.flatMap(tokenOf))
    if (Option.isSome(token)) verified.add(hash, { token: token.value, key })
    return token
  })

  /**
   * The token that a text is; none, unless this service has signed it for itself and it is valid now. Nothing is kept
   * of a text that is no token.
   */
  const find = Effect.fnUntraced(function* (text: string) {
    if (!oauthEnabled || !form.test(text)) return Option.none<AccessToken>()
    const hash = (yield* hashOf(text)).toHex()
    const known = verified.find(hash)
    return known !== undefined && (yield* isStillValid(known))
      ? Option.some(known.token)
      : yield* check(text, hash)
  })

  return { issue, find } as const
})

export class AccessTokens extends Context.Service<AccessTokens, Effect.Success<typeof make>>()(
  "forum/domain/AccessTokens"
) {
  static readonly layer = Layer.effect(AccessTokens, make).pipe(Layer.provide(SigningKeys.layer))
}
