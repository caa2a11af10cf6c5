/** Challenges to authenticators, and what they are for. The browser that asked keeps this state, sealed. */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { AccountId } from "../shared/Id.ts"
import { ceremonyMinutes } from "./Passkey.ts"
import { SealedStates } from "./SealedStates.ts"

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

const make = Effect.gen(function* () {
  const { proof, sealing, use } = yield* SealedStates
  const { find, seal } = sealing("passkey", PasskeyChallenge)

  const begin = Effect.fn("PasskeyChallenges.begin")(function* (purpose: Purpose) {
    const challenge = yield* proof
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: ceremonyMinutes })
    const ceremony: PasskeyChallenge = { ...purpose, challenge, expires: DateTime.toEpochMillis(expiresAt) }
    return { challenge, state: yield* seal(ceremony), expiresAt } satisfies Begun
  })

  return {
    begin,
    /** The ceremony that one of these states is of, if its time is not over. */
    find: (states: ReadonlyArray<string>) => find(states),
    /** Uses a challenge up, as part of the running transaction; false if it was used before. */
    use: (ceremony: PasskeyChallenge) => use(ceremony.challenge, ceremony)
  } as const
})

export class PasskeyChallenges extends Context.Service<PasskeyChallenges, Effect.Success<typeof make>>()(
  "forum/domain/PasskeyChallenges"
) {
  static readonly layer = Layer.effect(PasskeyChallenges, make).pipe(Layer.provide(SealedStates.layer))
}
