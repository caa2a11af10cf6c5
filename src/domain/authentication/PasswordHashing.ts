/** Passwords at rest: Argon2id (RFC 9106) in PHC string format. */

import { Context, Effect, Layer, Redacted, Result } from "effect"
import { Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { type Bounds, type Lane, makeFairQueue } from "../queue/FairQueue.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { AuthenticationBusy, preparedPassword } from "./Password.ts"

// OWASP's minimum for Argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const keyBytes = 32
const saltBytes = 16

/** How many hashes there may be at a time at most, and how many requests may wait for one. */
export const hashingBounds = {
  // As many as the platform computes beside the event loop at a time; more would only hold memory.
  places: 4,
  // What waits takes a second or two for one client, and less than a request may take for a lane.
  waitingPerClient: 64,
  waiting: 256
}

const boundsWith = (places: number): Bounds => ({
  running: places,
  runningPerClient: places,
  waiting: hashingBounds.waiting,
  perClient: places + hashingBounds.waitingPerClient
})

/** How many hashes are computed at a time: more than there are cores would only take time from everything else. */
export const HashingPlaces = Context.Reference<number>("forum/domain/HashingPlaces", {
  defaultValue: () => hashingBounds.places
})

/** The client for whom a password is hashed; it decides when the hash has its turn. */
interface HashingClient {
  readonly lane: Lane
  readonly name: string
}

export const signingIn = (from: ClientNetwork): HashingClient => ({ lane: "urgent", name: from })
/** The client of a sign-up. Nobody knows these people yet, so that they wait for those who have an account. */
export const signingUp = (from: ClientNetwork): HashingClient => ({ lane: "patient", name: from })
/** The client who is signed in: it has turns of its own, whatever its network. */
export const signedIn = (accountId: AccountId): HashingClient => ({ lane: "urgent", name: accountId })

const secondsToRetry = 2
export const busy = Effect.suspend(() =>
  Effect.fail(new AuthenticationBusy({ metadata: { retry_after: secondsToRetry } }))
)

/** What hashing needs: that its turn has come. */
export class HashingPlace extends Context.Service<HashingPlace, { readonly client: HashingClient }>()(
  "forum/domain/HashingPlace"
) {}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const ofToday = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`

const unpadded = (data: Uint8Array) => Base64.encode(data).replace(/=+$/, "")

const make = Effect.gen(function* () {
  const kdf = yield* Kdf.Kdf
  const random = yield* SecureRandom.SecureRandom
  const queue = makeFairQueue(boundsWith(yield* HashingPlaces))

  /** Does what hashes passwords when it is the client's turn. What has begun is completed, even if its client is gone. */
  const inPlace =
    (client: HashingClient) =>
    <A, E, R>(
      work: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | AuthenticationBusy, Exclude<R, HashingPlace>> =>
      queue.run(
        client.name,
        () => Effect.uninterruptible(Effect.provideService(work, HashingPlace, { client })),
        () => busy,
        client.lane
      )

  const derive = (password: Redacted.Redacted, salt: Uint8Array, costs: typeof cost, length: number) => {
    const text = new TextEncoder().encode(preparedPassword(Redacted.value(password)))
    return Effect.andThen(HashingPlace, Effect.orDie(kdf.derive(Kdf.argon2id(costs), text, { salt, length })))
  }

  const hash = Effect.fn("PasswordHashing.hash")(function* (password: Redacted.Redacted) {
    const salt = yield* random.randomBytes(saltBytes)
    const key = yield* derive(password, salt, cost, keyBytes)
    return `${ofToday}${unpadded(salt)}$${unpadded(key)}`
  })

  /** Whether the password made this hash, at whatever cost the hash names. */
  const verify = Effect.fn("PasswordHashing.verify")(function* (password: Redacted.Redacted, stored: string) {
    const parts = form.exec(stored)
    if (parts === null) return yield* Effect.die(new Error("A stored password hash is not in PHC format"))
    const [, memory, passes, parallelism, salt = "", key = ""] = parts
    const costs = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
    const expected = Result.getOrThrow(Base64.decode(padded(key)))
    const salted = Result.getOrThrow(Base64.decode(padded(salt)))
    const derived = yield* derive(password, salted, costs, expected.length)
    return Mac.timingSafeEqual(derived, expected)
  })

  /** Whether a hash costs what those that are made today do. */
  const isOfToday = (stored: string) => stored.startsWith(ofToday)

  return { inPlace, hash, verify, isOfToday, waiting: queue.waiting } as const
})

const padded = (text: string) => text + "=".repeat((4 - (text.length % 4)) % 4)

export class PasswordHashing extends Context.Service<PasswordHashing, Effect.Success<typeof make>>()(
  "forum/domain/PasswordHashing"
) {
  static readonly layer = Layer.effect(PasswordHashing, make)
}
