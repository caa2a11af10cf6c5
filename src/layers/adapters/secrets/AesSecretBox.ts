/** Secrets encrypted by AES-256-GCM, with the key of the settings or of the file in the data directory. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { EncryptionKeyUnusable, SecretBox, SecretUnreadable } from "../../../domain/storage/SecretBox.ts"
import { rootMessageOf } from "../../../persistence/shared/rootMessageOf.ts"
import { Settings } from "../../process/Settings.ts"
import { findKey, getKey, keyFileIn } from "./EncryptionKeyFile.ts"

/** What is stored: a byte with the form, the nonce, the tag, and the encrypted text. */
const form = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

const algorithm = "aes-256-gcm"

const encrypt = (key: Uint8Array, purpose: string, text: string): Uint8Array => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(purpose))
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([Uint8Array.of(form), nonce, cipher.getAuthTag(), encrypted])
}

/** Throws where the key, the purpose or the bytes are others. */
const decrypt = (key: Uint8Array, purpose: string, sealed: Uint8Array): string => {
  if (sealed[0] !== form || sealed.length < headBytes) throw new Error("These bytes are no encrypted secret")
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, 1 + nonceBytes), {
    authTagLength: tagBytes
  })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
  return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]).toString("utf8")
}

interface KeySource {
  /** The key, which is made where there may be none yet. */
  readonly get: Effect.Effect<Uint8Array, EncryptionKeyUnusable>
  /** The key that secrets were encrypted with. */
  readonly found: Effect.Effect<Uint8Array, EncryptionKeyUnusable>
  /** What to do if a secret cannot be decrypted. */
  readonly todo: string
}

const boxWith = ({ found, get, todo }: KeySource) =>
  SecretBox.of({
    seal: (purpose, secret) => Effect.map(get, (key) => encrypt(key, purpose, Redacted.value(secret))),
    open: (purpose, sealed) =>
      Effect.flatMap(found, (key) =>
        Effect.try({
          try: () => Redacted.make(decrypt(key, purpose, sealed)),
          catch: () => new SecretUnreadable({ message: `It was encrypted with another key. ${todo}` })
        })
      )
  })

/** A box with this key. */
export const withKey = (key: Redacted.Redacted<Uint8Array>) => {
  const known = Effect.succeed(Redacted.value(key))
  return boxWith({ get: known, found: known, todo: "Set OAUTH_KEY_ENCRYPTION_KEY to what it was" })
}

/** A box with the key in a file. The file is made when the first secret is encrypted, and never by reading one. */
export const withFile = (path: string) => {
  const todo = `Put ${path} back from a backup, or set OAUTH_KEY_ENCRYPTION_KEY to the key of the other instances`
  let known: Uint8Array | undefined
  const reading = (read: () => Promise<Uint8Array | undefined>) =>
    Effect.suspend(() =>
      known === undefined
        ? Effect.tryPromise(read).pipe(
            Effect.mapError(
              (error) =>
                new EncryptionKeyUnusable({
                  message: `${path} cannot be used: ${rootMessageOf(error.cause)}`
                })
            ),
            Effect.flatMap((key) => {
              known = key
              return key === undefined
                ? Effect.fail(new EncryptionKeyUnusable({ message: `There is no key. ${todo}` }))
                : Effect.succeed(key)
            })
          )
        : Effect.succeed(known)
    )
  return boxWith({ get: reading(() => getKey(path)), found: reading(() => findKey(path)), todo })
}

export const layer = Layer.effect(
  SecretBox,
  Effect.map(Settings, ({ dataDir, encryptionKey }) =>
    encryptionKey === undefined ? withFile(keyFileIn(dataDir)) : withKey(encryptionKey)
  )
)
