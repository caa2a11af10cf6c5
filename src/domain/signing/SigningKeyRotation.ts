/** The part of `SigningKeys` that replaces keys. */
import { Data, DateTime, Effect } from "effect"
import { SecretBox } from "../storage/SecretBox.ts"
import { Transaction } from "../storage/Transaction.ts"
import { JsonWebTokens } from "./JsonWebTokens.ts"
import { decideRotation, publishedKeys, RotationUnderWay } from "./SigningKeyRules.ts"
import { SigningKeyStore, type StoredKey } from "./SigningKeyStore.ts"
import { SigningSettings } from "./SigningSettings.ts"

/** The operator's own key signs, which the service cannot replace. */
export class OwnKeySigns extends Data.TaggedError("OwnKeySigns") {}

/** What the private half of a key is encrypted for. */
export const purposeOf = (kid: string) => `signing key ${kid}`

/** Makes a key, and encrypts its private half. */
export const makeSealedKey = Effect.gen(function* () {
  const tokens = yield* JsonWebTokens
  const box = yield* SecretBox
  return Effect.gen(function* () {
    const { privateKey, publicKey } = yield* tokens.makeKey
    return { ...publicKey, sealed: yield* box.seal(purposeOf(publicKey.kid), privateKey) }
  })
})

/** Keys as they are stored now; what reads them notes them, too. */
export const makeKeyRotation = Effect.fnUntraced(function* (read: Effect.Effect<ReadonlyArray<StoredKey>>) {
  const store = yield* SigningKeyStore
  const transaction = yield* Transaction
  const makeKey = yield* makeSealedKey
  const { accessTokenSeconds, ownKey } = yield* SigningSettings

  const checkReplaceable = ownKey === undefined ? Effect.void : Effect.fail(new OwnKeySigns())

  const generationAfter = (keys: ReadonlyArray<StoredKey>) =>
    Math.max(0, ...keys.map(({ generation }) => generation)) + 1

  /** Adds the key that signs once all instances and caches can know it; the first one signs at once. */
  const rotate = Effect.fn("SigningKeys.rotate")(function* () {
    yield* checkReplaceable
    const keys = yield* read
    const at = yield* DateTime.now
    const signsFrom = yield* Effect.fromResult(decideRotation(keys, at))
    const key = { ...(yield* makeKey), generation: generationAfter(keys), signsFrom, at }
    const isAdded = yield* store.insert(key)
    yield* read
    if (!isAdded) return yield* new RotationUnderWay()
    return { kid: key.kid, signsFrom }
  })

  /** Replaces all keys by one that signs at once. Tokens that were signed before are no longer valid. */
  const replace = Effect.fn("SigningKeys.replace")(function* () {
    yield* checkReplaceable
    const keys = yield* read
    const at = yield* DateTime.now
    const key = { ...(yield* makeKey), generation: generationAfter(keys), signsFrom: at, at }
    const isAdded = yield* transaction(
      Effect.andThen(store.remove(keys.map(({ kid }) => kid)), store.insert(key))
    )
    yield* read
    if (!isAdded) return yield* new RotationUnderWay()
    return { kid: key.kid, signsFrom: at }
  })

  /** Removes keys whose last token has expired. */
  const removeExpired = Effect.gen(function* () {
    const keys = yield* read
    const needed = new Set(publishedKeys(keys, yield* DateTime.now, accessTokenSeconds))
    const expired = keys.filter((key) => !needed.has(key)).map(({ kid }) => kid)
    if (expired.length > 0) yield* store.remove(expired)
  })

  return { rotate, replace, removeExpired } as const
})
