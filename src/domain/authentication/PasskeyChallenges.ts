/**
 * Challenges to authenticators, and what they are for. The browser that asked keeps this state, sealed, so that
 * nothing has to be stored for those who ask; what is stored is that a challenge was used.
 */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { AccountId } from "../shared/Id.ts"
import { ceremonyMinutes } from "./Passkey.ts"
import { PasskeyStore } from "./PasskeyStore.ts"

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

const codec = Schema.fromJsonString(PasskeyChallenge)
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownOption(codec)

const challengeBytes = 32

// The text of a ceremony has about two hundred characters.
const form = /^([A-Za-z0-9_-]{1,1000})\.([A-Za-z0-9_-]{43})$/

const make = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const random = yield* SecureRandom.SecureRandom
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Effect.flatMap(store.sealKey, (bytes) => Mac.key(Mac.hmacSha256, bytes)))

  const bytesOf = (text: string) => new TextEncoder().encode(text)

  const begin = Effect.fn("PasskeyChallenges.begin")(function* (purpose: Purpose) {
    const challenge = Base64Url.encode(yield* random.randomBytes(challengeBytes))
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: ceremonyMinutes })
    const ceremony: PasskeyChallenge = { ...purpose, challenge, expires: DateTime.toEpochMillis(expiresAt) }
    const text = Base64Url.encode(yield* Effect.orDie(encode(ceremony)))
    const seal = yield* Effect.orDie(mac.sign(key, bytesOf(text)))
    return { challenge, state: `${text}.${Base64Url.encode(seal)}`, expiresAt } satisfies Begun
  })

  /** The ceremony in a state that this service sealed. */
  const unseal = Effect.fnUntraced(function* (state: string) {
    const [, text = "", seal = ""] = form.exec(state) ?? []
    const tag = Option.getOrElse(Option.getSuccess(Base64Url.decode(seal)), () => new Uint8Array())
    const isOurs = yield* Effect.orDie(mac.verify(key, tag, bytesOf(text)))
    return isOurs ? Option.flatMap(Option.getSuccess(Base64Url.decodeString(text)), decode) : Option.none()
  })

  /** The ceremony that one of these states is of, if its time is not over. */
  const find = Effect.fn("PasskeyChallenges.find")(function* (states: ReadonlyArray<string>) {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    for (const state of states) {
      const ceremony = yield* unseal(state)
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
