/**
 * Challenges to authenticators, and what they are for. The browser that asked keeps this state, sealed, so that
 * nothing has to be stored for those who ask; what is stored is that a challenge was used.
 */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { AccountId } from "../shared/Id.ts"
import { ceremonyMinutes } from "./Passkey.ts"
import { PasskeyStore } from "./PasskeyStore.ts"
import { makeSealedState } from "./SealedState.ts"

const fields = {
  challenge: Schema.String,
  /** When the challenge expires, in milliseconds since 1970. */
  expires: Schema.Int
}

/** How the new passkey will know its account, in base64url. */
const userHandle = Schema.String

/** What a challenge is for: to make an account with this handle, to give one another passkey, or to sign in to it. */
const PasskeyChallenge = Schema.Union([
  Schema.TaggedStruct("SignUp", { ...fields, handle: Schema.String, userHandle }),
  Schema.TaggedStruct("Addition", { ...fields, account: AccountId, userHandle }),
  Schema.TaggedStruct("SignIn", { ...fields, account: AccountId })
])
export type PasskeyChallenge = typeof PasskeyChallenge.Type

/** The purpose of a ceremony that begins. */
export type Purpose =
  | { readonly _tag: "SignUp"; readonly handle: string; readonly userHandle: string }
  | { readonly _tag: "Addition"; readonly account: AccountId; readonly userHandle: string }
  | { readonly _tag: "SignIn"; readonly account: AccountId }

/** A challenge, and the sealed state for the browser to keep until then. */
export interface Begun {
  readonly challenge: string
  readonly state: string
  readonly expiresAt: DateTime.Utc
}

const challengeBytes = 32

const make = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const random = yield* SecureRandom.SecureRandom
  const seals = yield* makeSealedState(PasskeyChallenge, store.sealKey)

  const begin = Effect.fn("PasskeyChallenges.begin")(function* (purpose: Purpose) {
    const challenge = Base64Url.encode(yield* random.randomBytes(challengeBytes))
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: ceremonyMinutes })
    const ceremony: PasskeyChallenge = { ...purpose, challenge, expires: DateTime.toEpochMillis(expiresAt) }
    return { challenge, state: yield* seals.seal(ceremony), expiresAt } satisfies Begun
  })

  /** The ceremony that one of these states is of, if its time is not over. */
  const find = Effect.fn("PasskeyChallenges.find")(function* (states: ReadonlyArray<string>) {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    for (const state of states) {
      const ceremony = yield* seals.open(state)
      if (Option.isSome(ceremony) && ceremony.value.expires > now) return ceremony
    }
    return Option.none<PasskeyChallenge>()
  })

  /** Uses a challenge up, as part of the running transaction; false if it was used before. */
  const use = ({ challenge, expires }: PasskeyChallenge) =>
    store.useChallenge(challenge, DateTime.makeUnsafe(expires))

  /** Forgets which challenges were used, once they are too old to be used, by any clock. */
  const forgetUsed = Effect.flatMap(DateTime.now, (now) =>
    store.forgetChallenges(DateTime.subtract(now, { hours: 1 }))
  )

  return { begin, find, use, forgetUsed } as const
})

export class PasskeyChallenges extends Context.Service<PasskeyChallenges, Effect.Success<typeof make>>()(
  "forum/domain/PasskeyChallenges"
) {
  static readonly layer = Layer.effect(PasskeyChallenges, make)
}
