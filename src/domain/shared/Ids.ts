/** Makes the identifiers that `Id.ts` describes: those that are in order, and those that nobody finds by counting. */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const alphabet = "0123456789abcdefghijklmnopqrstuv"

/** Encodes 12 bytes as 20 base32hex characters; the last one is `0` or `g`. */
export const encode = (bytes: Uint8Array): string => {
  let out = ""
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      out += alphabet[(buffer >> bits) & 31]
    }
  }
  return out + alphabet[(buffer << (5 - bits)) & 31]
}

export class Ids extends Context.Service<
  Ids,
  {
    /**
     * An id of the clock's second, five bytes of this process and a counter:
     * strictly increasing in one process, unique among all. Whoever knows one
     * finds the others, so it is for what may be found.
     */
    readonly next: Effect.Effect<string>
    /** An id of random bytes, for what only those find whom somebody has told. */
    readonly unguessable: Effect.Effect<string>
  }
>()("forum/domain/Ids") {
  /** Ids whose counter goes on from here. */
  static readonly from = (start: number) =>
    Layer.effect(
      Ids,
      Effect.gen(function* () {
        const random = yield* SecureRandom.SecureRandom
        const process = yield* random.randomBytes(5)
        let counter = start
        let second = 0
        const next = Effect.map(Clock.currentTimeMillis, (millis) => {
          second = Math.max(second, Math.floor(millis / 1000))
          counter = (counter + 1) & 0xffffff
          if (counter === 0) second += 1

          const bytes = new Uint8Array(12)
          new DataView(bytes.buffer).setUint32(0, second)
          bytes.set(process, 4)
          bytes.set([counter >> 16, (counter >> 8) & 255, counter & 255], 9)
          return encode(bytes)
        })
        return Ids.of({ next, unguessable: Effect.map(random.randomBytes(12), encode) })
      })
    )

  static readonly layer = Ids.from(0)
}
