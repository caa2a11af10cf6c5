/** Restores a backup: the database, the files and the key, or none of them. */
import { createHash } from "node:crypto"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { decideKey, type KeyPlace } from "./InstanceKey.ts"
import { checkRelease, makeLoading } from "./Loading.ts"
import type { Manifest, Totals } from "./Manifest.ts"
import { checkWhole, type Handling, type Reading, readBackup } from "./Reading.ts"
import type { Seal } from "./Seal.ts"

/** A backup of which all is known to be there. */
export interface Checked {
  readonly seal: Seal
  readonly manifest: Manifest
  readonly totals: Totals
}

const drain = async (bytes: AsyncIterable<Uint8Array>) => {
  for await (const _ of bytes) {
    // Reading it notes its checksum.
  }
}

/** Reads all of a backup, and fails unless it is whole and this release can restore it. Writes nothing. */
export const checkBackup = async (reading: Reading): Promise<Checked> => {
  const seal = await checkWhole(reading)
  let manifest: Manifest | undefined
  let totals: Totals | undefined
  await readBackup(reading, seal, {
    manifest: async (found) => {
      checkRelease(found)
      manifest = found
    },
    key: async () => {},
    rows: (_, bytes) => drain(bytes),
    sequences: async () => {},
    file: (_, bytes) => drain(bytes),
    totals: async (found) => {
      totals = found
    }
  })
  if (manifest === undefined || totals === undefined)
    throw new Error("A backup without beginning or end was read")
  return { seal, manifest, totals }
}

export interface Target {
  readonly session: Session
  readonly files: Files
  readonly key: KeyPlace
  /** Whether secrets may stay encrypted by a key that is not there. */
  readonly withoutKey: boolean
  readonly progress: Progress
}

/** Fails where the secrets of the backup could not be read. */
const checkKey = async ({ key, withoutKey }: Target, { encryption_key }: Manifest) => {
  const decision = decideKey(encryption_key, await key.find())
  if (withoutKey || decision === "nothing" || decision === "write") return decision
  throw new OperatorFailure({
    message:
      decision === "other"
        ? `The secrets of the backup are encrypted by another key than OAUTH_KEY_ENCRYPTION_KEY or ${key.path} has. Set it to that key, or remove it if the backup has the key itself. If the key is lost: --without-key.`
        : "The secrets of the backup are encrypted by a key that it does not have. Set OAUTH_KEY_ENCRYPTION_KEY to what it was. If the key is lost: --without-key."
  })
}

/** Stores files, and notes those that were not there before. */
const makeStoring = ({ files }: Target) => {
  const written: Array<string> = []

  const compare = async (key: string, known: string, bytes: AsyncIterable<Uint8Array>) => {
    const hash = createHash("sha256")
    for await (const part of bytes) hash.update(part)
    if (hash.digest("hex") !== known)
      throw new OperatorFailure({
        message: `There is another file at the place of ${key}. Files go to an empty directory or bucket.`
      })
  }

  return {
    file: async (key: string, bytes: AsyncIterable<Uint8Array>) => {
      const known = await files.findHash(key)
      if (known !== undefined) return await compare(key, known, bytes)
      written.push(key)
      await files.write(key, bytes)
    },
    undo: async () => {
      for (const key of written) await files.remove(key).catch(() => {})
    }
  } as const
}

/** Says what became of it where a last step fails. */
const failing = (outcome: string) => (error: unknown) => {
  throw new OperatorFailure({ message: `${outcome} (${errorText(error)}).` })
}

/** Restores a checked backup into an empty database. A failure leaves it empty, and takes back what was written beside it. */
export const restoreBackup = async (reading: Reading, checked: Checked, target: Target): Promise<void> => {
  const { files, key, progress, session } = target
  reading.signal.addEventListener("abort", session.cut)
  const decision = await checkKey(target, checked.manifest)
  const loading = makeLoading(session, (step) => progress.at(step))
  const storing = makeStoring(target)
  let keyText: string | undefined
  let isKeyWritten = false
  const handling: Handling = {
    manifest: loading.begin,
    key: async (text) => {
      keyText = text
    },
    rows: loading.rows,
    sequences: loading.sequences,
    file: storing.file,
    totals: loading.totals
  }

  try {
    await readBackup(reading, checked.seal, handling)
    await loading.complete(files.store)
    if (decision === "write" && keyText !== undefined) {
      await key.write(keyText)
      isKeyWritten = true
    }
    reading.signal.throwIfAborted()
  } catch (error) {
    session.cut()
    // Reading ends when what it has begun has ended, so no file is written after this.
    await storing.undo()
    if (isKeyWritten) await key.remove()
    throw error
  }
  // From here on it may be done, even if no answer says so: nothing is taken back.
  await loading
    .commit()
    .catch(failing("Whether the backup is restored is not known: if the database has tables, it is"))
  await loading
    .analyze()
    .catch(
      failing(
        "The backup is restored, and not yet of this release: start the service, or run `forum migrate`"
      )
    )
}
