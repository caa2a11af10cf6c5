/** ID tokens: what clients are told of who has signed in (OpenID Connect Core 1.0, 2). */
import { type DateTime, Effect, Redacted } from "effect"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { epochSeconds } from "../shared/Seconds.ts"
import { JsonWebTokens } from "../signing/JsonWebTokens.ts"
import { SigningKeys } from "../signing/SigningKeys.ts"
import type { Scope } from "../vocabulary/Scope.ts"
import type { Subject } from "./GrantStore.ts"

interface IdTokenInput {
  /** The id by which the client names itself. */
  readonly audience: string
  readonly subject: Subject
  readonly scopes: ReadonlyArray<Scope>
  /** What the client has sent to know its answer by. */
  readonly nonce: string | undefined
  readonly at: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** What is told of an email address: nothing where the account has none (OpenID Connect Core 1.0, 5.3.2). */
export const emailClaims = ({ email }: Pick<Subject, "email">) =>
  email === undefined ? {} : { email: email.address, email_verified: email.verified }

export const makeIdTokens = Effect.gen(function* () {
  const tokens = yield* JsonWebTokens
  const keys = yield* SigningKeys
  const { publicUrl } = yield* Deployment

  /** Signs an ID token. Fails if the key that signs cannot be decrypted. */
  const issue = Effect.fnUntraced(function* (input: IdTokenInput) {
    const { at, audience, expiresAt, nonce, scopes, subject } = input
    const token = yield* tokens.sign(yield* keys.signer, {
      iss: addressOf(publicUrl),
      sub: subject.accountId,
      aud: audience,
      exp: epochSeconds(expiresAt),
      iat: epochSeconds(at),
      ...(nonce === undefined ? {} : { nonce }),
      ...(scopes.includes("profile") ? { name: subject.name } : {}),
      ...(scopes.includes("email") ? emailClaims(subject) : {})
    })
    return Redacted.make(token)
  })

  return { issue } as const
})
