/** Makes the next backup of a series, and removes those that are too many then. */
import { open, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { DateTime, Effect } from "effect"
import { backupsIn, removeLeftovers, type Series } from "../../layers/backup/BackupDirectory.ts"
import {
  decideRemoved,
  dueAt,
  type Kept,
  type NamedBackup,
  nameOf,
  newestOf
} from "../../layers/backup/BackupNames.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { freeOf } from "../../persistence/asset/FreeSpace.ts"
import { makeDirectory } from "../../persistence/shared/makeDirectory.ts"
import { serverOf } from "../Environment.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { sizeText, type Terminal } from "../shared/Progress.ts"
import { connect, type Session } from "../shared/Session.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { backUpFrom } from "./backup.ts"
import type { Packed } from "./Packing.ts"
import { checkFile } from "./restore.ts"
import { readSeal } from "./Seal.ts"

export interface Next extends Series {
  /** How old the newest one has to be, in milliseconds; absent, where another one is made in any case. */
  readonly every: number | undefined
  /** How many are kept; absent, where all are. */
  readonly keep: number | undefined
}

export type Outcome =
  | (Packed & {
      readonly _tag: "Made"
      readonly file: string
      readonly size: number
      readonly removed: ReadonlyArray<string>
    })
  | { readonly _tag: "NotDue"; readonly newest: NamedBackup; readonly dueAt: number }
  | { readonly _tag: "Another" }

/** Whether no other program makes a backup of a series of this database. So it is until the connection ends. */
const isAlone = async (session: Session) => {
  await session.begin()
  const [found] = await session.rows<{ is_alone: boolean }>(
    "select pg_try_advisory_xact_lock(731620091, 0) as is_alone"
  )
  return found?.is_alone === true
}

const hasEnd = async (path: string) => {
  const file = await open(path)
  try {
    await readSeal(file)
    return true
  } catch {
    return false
  } finally {
    await file.close()
  }
}

const removeOlder = async ({ directory, series }: Series, made: NamedBackup, keep: number) => {
  const others: Array<Kept> = []
  for (const backup of await backupsIn({ directory, series }))
    others.push({ ...backup, isWhole: await hasEnd(join(directory, backup.name)) })
  const removed = decideRemoved(made, others, keep)
  for (const name of removed) await rm(join(directory, name), { force: true })
  return removed
}

/** Fails where a disk has less room than is kept free. Where nothing is, the disk itself says when it is full. */
export const makeRoomCheck = (directory: string, reserve: number) => async () => {
  if (reserve === 0) return
  const free = await freeOf(directory)
  if (free >= reserve) return
  throw new OperatorFailure({
    message: `The disk of ${directory} has ${sizeText(free)} left, and ${sizeText(reserve)} are kept free (DISK_RESERVE_MEGABYTES). Make room, or keep fewer backups.`
  })
}

/** Makes the next backup, if it is due and nobody else makes it; reads it again; and only then removes older ones. */
export const makeNext = Effect.fn("makeNext")(function* (next: Next, terminal: Terminal) {
  const { every, keep, series } = next
  const directory = resolve(next.directory)
  const { diskReserveMegabytes } = yield* Settings
  const work = <A>(run: () => Promise<A>) => untilSettled("The backup was not made", run)

  yield* work(() => makeDirectory(directory, 0o700))
  const server = yield* serverOf("found")
  const session = yield* connect(server)
  if (!(yield* work(() => isAlone(session)))) return { _tag: "Another" } satisfies Outcome

  const at = DateTime.toDateUtc(yield* DateTime.now)
  const now = at.getTime()
  const newest = newestOf(yield* work(() => backupsIn({ directory, series })), now)
  const due = every === undefined ? now : dueAt(newest, every, now)
  if (newest !== undefined && due > now) return { _tag: "NotDue", newest, dueAt: due } satisfies Outcome

  yield* work(() => removeLeftovers({ directory, series }))
  const name = nameOf(series, at)
  const file = join(directory, name)
  const checkRoom = makeRoomCheck(dirname(file), diskReserveMegabytes * 1024 * 1024)
  const made = yield* backUpFrom(server, file, terminal, checkRoom)
  yield* Effect.tapError(checkFile(file, terminal), () => work(() => rm(file, { force: true })))
  const removed =
    keep === undefined ? [] : yield* work(() => removeOlder({ directory, series }, { name, at: now }, keep))
  return { _tag: "Made", file, ...made, removed } satisfies Outcome
}, Effect.scoped)
