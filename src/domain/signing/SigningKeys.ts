/** The keys that sign tokens: all instances have the same, made by the first that needs one. */
import { Clock, Context, DateTime, Effect, Layer, Semaphore } from "effect"
import { Deployment } from "../settings/Deployment.ts"
import { type EncryptionKeyUnusable, SecretBox, type SecretUnreadable } from "../storage/SecretBox.ts"
import type { KeyPair, PublicKey } from "./SigningKey.ts"
import { makeKeyRotation, makeSealedKey, purposeOf } from "./SigningKeyRotation.ts"
import { findSigner, publishedKeys } from "./SigningKeyRules.ts"
import { SigningKeyStore, type StoredKey } from "./SigningKeyStore.ts"
import { SigningSettings } from "./SigningSettings.ts"

/** How long keys are used before they are read again: so soon all instances know of a new one. */
const keptMillis = 1_000

interface Kept {
  readonly keys: ReadonlyArray<StoredKey>
  readonly at: number
}

const make = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  const box = yield* SecretBox
  const clock = yield* Clock.Clock
  const { oauthEnabled } = yield* Deployment
  const { accessTokenSeconds, ownKey } = yield* SigningSettings
  const makeKey = yield* makeSealedKey

  const making = Semaphore.makeUnsafe(1)
  let kept: Kept = { keys: [], at: Number.NEGATIVE_INFINITY }
  /** The key that has signed last, as decrypting it again for every token would be in vain. */
  let opened: KeyPair | undefined

  const read = Effect.suspend(() => {
    const at = clock.currentTimeMillisUnsafe()
    return Effect.map(store.all, (keys) => {
      kept = { keys, at }
      return keys
    })
  })

  /** The keys that are stored, of which there may be none yet. */
  const known = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    return now >= kept.at && now < kept.at + keptMillis ? Effect.succeed(kept.keys) : read
  })

  // Where another instance has stored the first key meanwhile, this one is forgotten.
  const makeFirst = Effect.gen(function* () {
    const keys = yield* read
    if (keys.length > 0) return keys
    const at = yield* DateTime.now
    yield* store.insert({ ...(yield* makeKey), generation: 1, signsFrom: at, at })
    return yield* read
  }).pipe(making.withPermits(1))

  /** The keys, of which there is one at least. */
  const current = Effect.flatMap(known, (keys) => (keys.length === 0 ? makeFirst : Effect.succeed(keys)))

  const open = (key: StoredKey) =>
    Effect.map(
      box.open(purposeOf(key.kid), key.sealed),
      (privateKey): KeyPair => ({ publicKey: { kid: key.kid, n: key.n, e: key.e }, privateKey })
    )

  const openSigner = Effect.fnUntraced(function* (keys: ReadonlyArray<StoredKey>) {
    const signer = findSigner(keys, yield* DateTime.now)
    if (signer === undefined) return yield* Effect.die(new Error("There is no key, although one was made"))
    if (opened?.publicKey.kid !== signer.kid) opened = yield* open(signer)
    return opened
  })

  /** The key that signs now. Fails if it cannot be decrypted. */
  const signer = ownKey === undefined ? Effect.flatMap(current, openSigner) : Effect.succeed(ownKey)

  const publishedOf = (keys: ReadonlyArray<StoredKey>) =>
    Effect.map(DateTime.now, (at): ReadonlyArray<PublicKey> => publishedKeys(keys, at, accessTokenSeconds))

  const own = ownKey && Effect.succeed<ReadonlyArray<PublicKey>>([ownKey.publicKey])

  /** The keys that others are told of. Where none can be made, that is a defect. */
  const published = own ?? Effect.flatMap(Effect.orDie(current), publishedOf)

  /** The key by which a token is checked that names it. Makes none, as nobody has such a token before. */
  const find = (kid: string) =>
    Effect.map(own ?? Effect.flatMap(known, publishedOf), (keys) => keys.find((key) => key.kid === kid))

  /** Makes the first key, and fails if the one that signs cannot be decrypted. */
  const prepare = oauthEnabled ? Effect.asVoid(signer) : Effect.void

  /** Fails with the first key that cannot be decrypted, and answers how many there are. Makes none. */
  const check: Effect.Effect<number | "own", EncryptionKeyUnusable | SecretUnreadable> = ownKey
    ? Effect.succeed("own")
    : Effect.map(
        Effect.flatMap(store.all, (keys) => Effect.forEach(keys, open)),
        (keys) => keys.length
      )

  return { signer, published, find, prepare, check, ...(yield* makeKeyRotation(read)) } as const
})

export class SigningKeys extends Context.Service<SigningKeys, Effect.Success<typeof make>>()(
  "forum/domain/SigningKeys"
) {
  static readonly layer = Layer.effect(SigningKeys, make)
}
