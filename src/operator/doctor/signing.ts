/** Checks the keys that sign tokens, and the key that encrypts them. */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { SigningKeys } from "../../domain/signing/SigningKeys.ts"
import { isOpenToOthers, keyFileIn } from "../../layers/adapters/secrets/EncryptionKeyFile.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { lostKeyTodo } from "../../layers/process/StartChecks.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"

const name = "signing"

const textOf = (keys: number | "own") => {
  if (keys === "own") return "The key of OAUTH_SIGNING_KEY_BASE64 signs"
  return keys === 0
    ? "There is no key yet"
    : `${keys === 1 ? "The key" : `All ${keys} keys`} can be decrypted`
}

/** Whether the keys that are stored can be decrypted. Makes neither a key nor a file. */
export const signingFinding = Effect.gen(function* () {
  const { check } = yield* SigningKeys
  const { dataDir, encryptionKey } = yield* Settings
  const path = keyFileIn(dataDir)
  const isUsed = encryptionKey === undefined && existsSync(path)
  if (isUsed && (yield* Effect.promise(() => isOpenToOthers(path)))) {
    return warn(name, `Others than its owner may use ${path}`, `Close it: chmod 600 ${path}`)
  }
  return yield* check.pipe(
    Effect.map((keys): Finding => ok(name, textOf(keys))),
    Effect.catch(({ message }) =>
      Effect.succeed(fail(name, `A key cannot be decrypted: ${message}`, `${lostKeyTodo}.`))
    )
  )
})
