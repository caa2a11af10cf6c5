/** Passwords at rest: Argon2id (RFC 9106) in PHC string format. */
import { Context, Effect, Layer, Redacted, Result, Semaphore } from "effect"
import { Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

// OWASP's minimum for Argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const keyBytes = 32
const saltBytes = 16

// As many as the platform computes beside the event loop at a time; more would only hold memory.
const parallelHashes = 4

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const unpadded = (data: Uint8Array) => Base64.encode(data).replace(/=+$/, "")

const make = Effect.gen(function* () {
  const kdf = yield* Kdf.Kdf
  const random = yield* SecureRandom.SecureRandom
  const permits = Semaphore.makeUnsafe(parallelHashes)

  const derive = (password: Redacted.Redacted, salt: Uint8Array, costs: typeof cost, length: number) =>
    kdf
      .derive(Kdf.argon2id(costs), new TextEncoder().encode(Redacted.value(password)), { salt, length })
      .pipe(Effect.orDie, permits.withPermits(1))

  const hash = Effect.fn("PasswordHashing.hash")(function* (password: Redacted.Redacted) {
    const salt = yield* random.randomBytes(saltBytes)
    const key = yield* derive(password, salt, cost, keyBytes)
    return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(key)}`
  })

  /** Whether the password made this hash, at whatever cost the hash names. */
  const verify = Effect.fn("PasswordHashing.verify")(function* (password: Redacted.Redacted, stored: string) {
    const parts = form.exec(stored)
    if (parts === null) return yield* Effect.die(new Error("A stored password hash is not in PHC format"))
    const [, memory, passes, parallelism, salt = "", key = ""] = parts
    const costs = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
    const expected = Result.getOrThrow(Base64.decode(padded(key)))
    const actual = yield* derive(
      password,
      Result.getOrThrow(Base64.decode(padded(salt))),
      costs,
      expected.length
    )
    return Mac.timingSafeEqual(actual, expected)
  })

  return { hash, verify } as const
})

const padded = (text: string) => text + "=".repeat((4 - (text.length % 4)) % 4)

export class PasswordHashing extends Context.Service<PasswordHashing, Effect.Success<typeof make>>()(
  "forum/domain/PasswordHashing"
) {
  static readonly layer = Layer.effect(PasswordHashing, make)
}
