/** Random tokens that say who a caller is, and what is stored of them. */
import { Effect } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"

export const makeTokens = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest

  return {
    /** A token that nobody can guess, of the form in `TokenForm.ts`. */
    make: Effect.map(random.randomBytes(32), Base64Url.encode),
    /** What is stored of a token: its SHA-256. A slow hash would protect nothing, as the token is random. */
    hash: (token: string) => digest.digest(Digest.sha256, new TextEncoder().encode(token))
  } as const
})
