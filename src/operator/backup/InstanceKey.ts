/** The key by which secrets in the database are encrypted: in the settings, or in a file of the data directory. */
import { createHash, randomBytes } from "node:crypto"
import { link, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Redacted } from "effect"
import { findKey, keyFileIn } from "../../layers/adapters/secrets/EncryptionKeyFile.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { makeDirectory } from "../../persistence/shared/makeDirectory.ts"
import { syncDirectory } from "../../persistence/shared/syncDirectory.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Manifest } from "./Manifest.ts"

/** Tells keys apart, and says nothing else of them. */
export const fingerprintOf = (key: Uint8Array): string =>
  createHash("sha256").update("forum encryption key\0").update(key).digest("hex")

export interface InstanceKey {
  /** None, where there is no key yet. */
  readonly fingerprint: string | undefined
  /** The text of the file; none, where the settings have the key. */
  readonly text: string | undefined
}

const textOf = (key: Uint8Array) => `${Buffer.from(key).toString("base64")}\n`

/** Whether the key that a backup needs is there, or can be made of it. Pure. */
export const decideKey = (
  { fingerprint, is_included }: Manifest["encryption_key"],
  here: InstanceKey
): "nothing" | "write" | "other" | "missing" => {
  if (fingerprint === null || fingerprint === here.fingerprint) return "nothing"
  if (here.fingerprint !== undefined) return "other"
  return is_included ? "write" : "missing"
}

const writeFile = async (path: string, text: string) => {
  await makeDirectory(dirname(path), 0o711)
  const made = `${path}.${randomBytes(8).toString("hex")}`
  const file = await open(made, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    // No file loses its name: there is none, or this fails.
    await link(made, path)
    await syncDirectory(dirname(path))
  } finally {
    await file.close()
    await rm(made, { force: true })
  }
}

export const makeInstanceKey = Effect.gen(function* () {
  const { dataDir, encryptionKey } = yield* Settings
  const path = keyFileIn(dataDir)

  const find = async (): Promise<InstanceKey> => {
    if (encryptionKey !== undefined)
      return { fingerprint: fingerprintOf(Redacted.value(encryptionKey)), text: undefined }
    const key = await findKey(path).catch((error: unknown) => {
      throw new OperatorFailure({ message: `${path} cannot be used: ${error}` })
    })
    return key === undefined
      ? { fingerprint: undefined, text: undefined }
      : { fingerprint: fingerprintOf(key), text: textOf(key) }
  }

  return { find, path, write: (text: string) => writeFile(path, text), remove: () => rm(path) } as const
})

export type KeyPlace = Effect.Success<typeof makeInstanceKey>
