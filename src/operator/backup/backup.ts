/** Makes a backup: what is in it, where it goes, and what is said of it. */
import { resolve } from "node:path"
import { DateTime, Effect } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { checkSchema, clientOf, type Server, serverOf } from "../Environment.ts"
import { makeFiles } from "../shared/Files.ts"
import { makeProgress, sizeText, type Terminal } from "../shared/Progress.ts"
import { connect } from "../shared/Session.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { makeInstanceKey } from "./InstanceKey.ts"
import { noteBackup } from "./Noting.ts"
import { makePacking, type Packed } from "./Packing.ts"
import { writeBackup } from "./Writing.ts"

const rowsIn = ({ rows }: Packed["totals"]) => Object.values(rows).reduce((sum, count) => sum + count, 0)

/** What is said of a backup, or of what was restored. */
export const contentsText = (totals: Packed["totals"]) =>
  `${rowsIn(totals).toLocaleString("en")} rows and ${totals.files.toLocaleString("en")} files (${sizeText(totals.bytes_of_files)})`

/** What is said of files that are nowhere, if there are some. */
export const missingText = ({ missing, totals: { missing_files } }: Packed): string | undefined =>
  missing_files === 0
    ? undefined
    : `${missing_files} files that the database names are nowhere, so they are not in the backup: ${missing.join(", ")}${missing_files > missing.length ? ", …" : ""}`

/**
 * Backs up a database and its files into a file, which does not exist; it asks again and again whether there is room.
 * Answers what is in it, and its size.
 */
export const backUpFrom = Effect.fn("backUpFrom")(function* (
  server: Server,
  file: string,
  terminal: Terminal,
  checkRoom: () => Promise<void> = async () => {}
) {
  yield* Effect.provide(checkSchema("found"), clientOf(server))
  const session = yield* connect(server)
  const files = yield* makeFiles
  const key = yield* makeInstanceKey
  const at = DateTime.toDateUtc(yield* DateTime.now)
  const progress = makeProgress(terminal, () => performance.now())
  const packing = makePacking({
    session,
    files,
    progress,
    about: { release: manifest.version, made_at: at.toISOString() },
    findKey: key.find
  })
  const size = yield* untilSettled("The backup was not made", (signal) =>
    writeBackup({ file, members: packing.members, at, signal, checkRoom })
  ).pipe(Effect.ensuring(Effect.sync(progress.end)))
  yield* noteBackup(server, resolve(file), at)
  return { ...packing.packed(), size }
}, Effect.scoped)

/** Backs up the database and its files into a file, which does not exist. Answers what is in it, and its size. */
export const makeBackup = Effect.fn("makeBackup")(function* (file: string, terminal: Terminal) {
  return yield* backUpFrom(yield* serverOf("found"), file, terminal)
}, Effect.scoped)
