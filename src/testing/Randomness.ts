/** Randomness from a seed, and password hashes that cost nothing. For tests alone: whoever knows the seed knows every secret. */

import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Digest, Kdf, SecureRandom } from "effect/crypto"

/** The same bytes for the same seed: a linear congruential generator. */
export const randomFrom = (seed: number) =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    let state = seed
    return SecureRandom.make((size) =>
      Uint8Array.from({ length: size }, () => {
        state = Math.imul(state, 1_664_525) + 1_013_904_223
        return state >>> 24
      })
    )
  })

/** One digest instead of Argon2id, which would take most of the time of tests. */
export const cheapHashes = Layer.effect(
  Kdf.Kdf,
  Effect.map(Digest.Digest, (digest) =>
    Kdf.Kdf.of({
      derive: (_algorithm, key, { salt, length }) =>
        Effect.map(digest.digest(Digest.sha256, Uint8Array.from([...(salt ?? []), ...key])), (hash) =>
          hash.slice(0, length)
        )
    })
  )
)

/** All that the service needs of cryptography, with randomness from a seed. */
export const cryptoWith = (hashes: typeof cheapHashes, seed: number) =>
  Layer.mergeAll(hashes, randomFrom(seed)).pipe(
    Layer.provideMerge(Layer.merge(NodeCrypto.layerDigest, NodeCrypto.layerMac))
  )
