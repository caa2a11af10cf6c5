/** Tokens for the code of an approval (RFC 6749, 4.1.3; RFC 7636, 4.6). */
import { DateTime, Effect, Option, Redacted, Result } from "effect"
import { Digest } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { ClientAuthentication, checkGrant, type PresentedClient } from "../oauthgrant/ClientAuthentication.ts"
import { Grants } from "../oauthgrant/Grants.ts"
import { invalidGrant, invalidRequest, missing } from "../oauthgrant/Refusals.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { decideCode, isProof } from "./AuthorisationRules.ts"
import { AuthorisationStore, type FoundCode } from "./AuthorisationStore.ts"

/** What a client sends to exchange a code. */
export interface CodeRequest {
  readonly client: PresentedClient
  readonly code: Redacted.Redacted | undefined
  readonly redirectUri: string | undefined
  readonly codeVerifier: Redacted.Redacted | undefined
}

const unusable = invalidGrant("The code is unknown, expired or used, or was for another address")

export const makeCodeExchange = Effect.gen(function* () {
  const store = yield* AuthorisationStore
  const clients = yield* ClientAuthentication
  const grants = yield* Grants
  const tokens = yield* makeTokens
  const digest = yield* Digest.Digest

  const find = Effect.fnUntraced(function* (code: string) {
    if (!isToken(code)) return undefined
    return Option.getOrUndefined(yield* store.findCode(yield* tokens.hash(code)))
  })

  /** Fails unless the verifier is what the challenge was made of. */
  const checkProof = Effect.fnUntraced(function* ({ challenge }: FoundCode, verifier: string) {
    const made = yield* digest.digest(Digest.sha256, new TextEncoder().encode(verifier))
    if (Base64Url.encode(made) !== challenge)
      return yield* invalidGrant("code_verifier does not match the challenge")
  })

  return Effect.fn("CodeExchange")(function* (request: CodeRequest, from: ClientNetwork) {
    const { code, codeVerifier, redirectUri } = request
    if (code === undefined) return yield* missing("code")
    if (redirectUri === undefined) return yield* missing("redirect_uri")
    if (codeVerifier === undefined) return yield* missing("code_verifier")
    const client = yield* clients.find(request.client, from)
    yield* checkGrant(client, "authorization_code")
    yield* clients.checkSecret(client, request.client, from)
    const verifier = Redacted.value(codeVerifier)
    if (!isProof(verifier))
      return yield* invalidRequest("code_verifier has 43 to 128 letters, digits and -._~")
    const found = yield* find(Redacted.value(code))
    const now = yield* DateTime.now
    const decided = decideCode(found, { client: client.shown.id, redirectUri }, now)
    if (Result.isFailure(decided)) {
      if (decided.failure === "used" && found?.grantId !== undefined) {
        yield* grants.endStolen(client, { grantId: found.grantId, accountId: found.accountId })
      }
      return yield* unusable
    }
    const good = decided.success
    yield* checkProof(good, verifier)
    const subject = yield* grants.getSubject(good.accountId)
    const { nonce, scopes } = good
    return yield* grants.begin({ client, subject, scopes, nonce }, (grant) =>
      Effect.flatMap(store.use(good.id, grant, now), (isUsed) => (isUsed ? Effect.void : unusable))
    )
  })
})
