/** Does a request with a key once, whatever happens to its answer on the way. */
import { Cause, Context, DateTime, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { AccountId } from "../shared/Id.ts"
import { HeldTransaction } from "../storage/Transaction.ts"
import {
  IdempotencyKeyInProgress,
  type KeptAnswer,
  TooManyIdempotencyKeys,
  type WholeAnswer
} from "./IdempotencyKey.ts"
import { decideLimits, decideRepeat, secondsUntilTomorrow } from "./IdempotencyRules.ts"
import { type Claim, IdempotencyStore } from "./IdempotencyStore.ts"

/** A request with a key, by what makes it the same as another. */
export interface KeyedRequest {
  readonly accountId: AccountId
  readonly key: string
  readonly method: string
  /** The path with its query. */
  readonly address: string
  readonly body: string
}

/** What the work of a request came to: an outcome, and how it is kept; undefined if it is as if nothing was asked. */
export interface Worked<A> {
  readonly outcome: A
  readonly kept: KeptAnswer | undefined
}

/** An outcome of now, or the answer to an earlier request. */
export type Answered<A> =
  | { readonly _tag: "Now"; readonly outcome: A }
  | { readonly _tag: "Before"; readonly answer: WholeAnswer }

const encoder = new TextEncoder()

/** What makes a request the same as another, in a form that no other request has: JSON says itself where it ends. */
export const identityOf = ({ address, body, method }: Pick<KeyedRequest, "address" | "body" | "method">) =>
  encoder.encode(`${JSON.stringify([method, address])}${body}`)

const tokenBytes = 16

const make = Effect.gen(function* () {
  const store = yield* IdempotencyStore
  const held = yield* HeldTransaction
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom

  const claimOf = Effect.fnUntraced(function* ({ accountId, key, ...request }: KeyedRequest) {
    const claim: Claim = {
      accountId,
      key,
      fingerprint: yield* digest.digest(Digest.sha256, identityOf(request)),
      token: yield* random.randomBytes(tokenBytes),
      at: yield* DateTime.now
    }
    return claim
  })

  /** Takes the key, or tells what is answered instead. */
  const take = Effect.fnUntraced(function* (claim: Claim) {
    // Cut off, it could still be committed once the key has been given back, while a standby confirms it for example.
    const claimed = yield* Effect.uninterruptible(store.claim(claim, decideLimits(claim.at)))
    if (claimed._tag === "Granted") return undefined
    if (claimed._tag === "Taken") return yield* Effect.fromResult(decideRepeat(claimed.found))
    const retry_after = secondsUntilTomorrow(claim.at)
    return yield* new TooManyIdempotencyKeys({ metadata: { retry_after } })
  })

  /** Keeps what the work came to, in its transaction; true if the key is to be given back. */
  const finish =
    (claim: Claim) =>
    <A>({ kept, outcome }: Worked<A>) =>
      Effect.gen(function* () {
        if (kept === undefined) return { outcome, isReleased: true }
        const isKept = yield* store.keep(claim, kept, yield* DateTime.now)
        // Another request has taken the key, as this one was thought to be gone: nothing of this one may stay.
        if (!isKept) return yield* new IdempotencyKeyInProgress({ metadata: { retry_after: 1 } })
        return { outcome, isReleased: false }
      })

  /**
   * Does the work of a request once. Its answer is kept in the transaction of what it writes. Work that fails is undone,
   * and may be tried again under its key.
   */
  const once = Effect.fnUntraced(function* <A, E, R>(
    request: KeyedRequest,
    work: Effect.Effect<Worked<A>, E, R>,
    isHeld: boolean
  ) {
    const claim = yield* claimOf(request)
    let mayBeOurs = true
    const attempt = Effect.gen(function* () {
      const answer = yield* Effect.tapCause(take(claim), (cause) =>
        Effect.sync(() => {
          // Whether an interrupted statement has taken the key is not known.
          mayBeOurs = Cause.hasInterrupts(cause) || Cause.hasDies(cause)
        })
      )
      if (answer !== undefined) {
        mayBeOurs = false
        return { _tag: "Before", answer } satisfies Answered<A>
      }
      const { isReleased, outcome } = yield* isHeld
        ? held(work, finish(claim))
        : Effect.flatMap(work, finish(claim))
      mayBeOurs = isReleased
      return { _tag: "Now", outcome } satisfies Answered<A>
    })
    // Where storage cannot be reached the key stays claimed, until it is seen that nobody handles it.
    const giveBack = Effect.suspend(() =>
      mayBeOurs ? Effect.ignoreCause(store.release(claim)) : Effect.void
    )
    const answered: Answered<A> = yield* Effect.ensuring(attempt, giveBack)
    return answered
  })

  /** Forgets the keys of more than a day ago, a few at a time. */
  const forget = Effect.gen(function* () {
    const { expired } = decideLimits(yield* DateTime.now)
    yield* Effect.repeat(store.forget(expired), { while: (isMore) => isMore })
  })

  return { once, forget } as const
})

export class IdempotencyKeys extends Context.Service<IdempotencyKeys, Effect.Success<typeof make>>()(
  "forum/domain/IdempotencyKeys"
) {
  static readonly layer = Layer.effect(IdempotencyKeys, make)
}
