/** `forum restore`. */
import { statfs } from "node:fs/promises"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Settings } from "../../layers/process/Settings.ts"
import { migrate } from "../../persistence/shared/Migrations.ts"
import { makeDirectory } from "../../persistence/shared/makeDirectory.ts"
import { clientOf, serverOf } from "../Environment.ts"
import { outcomeOf } from "../migrate.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { makeFiles } from "../shared/Files.ts"
import { makeProgress, type Progress, sizeText, type Terminal } from "../shared/Progress.ts"
import { connect } from "../shared/Session.ts"
import { stored } from "../shared/stored.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { contentsText } from "./backup.ts"
import { makeInstanceKey } from "./InstanceKey.ts"
import { openBackup, type Reading } from "./Reading.ts"
import { type Checked, checkBackup, restoreBackup } from "./Restoring.ts"

interface Options {
  readonly withoutKey: boolean
}

const readingWith =
  (file: Reading["file"], progress: Progress, step: string) =>
  (signal: AbortSignal): Reading => ({ file, signal, at: (done, of) => progress.at(step, done, of) })

/** Fails where the disk has no room for the files of a backup. */
const checkRoom = async (dataDir: string, { bytes_of_files }: Checked["totals"]) => {
  await makeDirectory(dataDir, 0o711)
  const { bavail, bsize } = await statfs(dataDir)
  if (bytes_of_files > bavail * bsize)
    throw new OperatorFailure({
      message: `The files of the backup take ${sizeText(bytes_of_files)}, and ${dataDir} has room for ${sizeText(bavail * bsize)}.`
    })
}

const openWith = Effect.fnUntraced(function* (path: string, terminal: Terminal) {
  const file = yield* openBackup(path)
  const progress = yield* Effect.acquireRelease(
    Effect.sync(() => makeProgress(terminal, () => performance.now())),
    ({ end }) => Effect.sync(end)
  )
  const checked = yield* untilSettled("The backup was not checked", (signal) =>
    checkBackup(readingWith(file, progress, "checking")(signal))
  )
  return { file, progress, checked }
})

/** Reads a backup and answers what is in it, if it is whole. */
export const checkFile = Effect.fn("checkFile")(function* (path: string, terminal: Terminal) {
  return (yield* openWith(path, terminal)).checked
}, Effect.scoped)

/** Restores a backup into the database of the settings, which is empty; then brings it to this release. */
export const restoreFile = Effect.fn("restoreFile")(function* (
  path: string,
  terminal: Terminal,
  { withoutKey }: Options
) {
  const { checked, file, progress } = yield* openWith(path, terminal)
  const { dataDir } = yield* Settings
  const files = yield* makeFiles
  const key = yield* makeInstanceKey
  if (files.store === "disk") {
    yield* untilSettled("Nothing was restored", () => checkRoom(dataDir, checked.totals))
  }
  const server = yield* serverOf("made")
  const session = yield* connect(server)
  yield* untilSettled("Nothing was restored", (signal) =>
    restoreBackup(readingWith(file, progress, "restoring")(signal), checked, {
      session,
      files,
      key,
      progress,
      withoutKey
    })
  )
  const state = yield* Effect.provide(migrate, clientOf(server))
  return { ...checked, state }
}, Effect.scoped)

const describe = ({ manifest, totals }: Checked) =>
  `a backup of ${manifest.made_at} by release ${manifest.release}: ${contentsText(totals)}`

export const restore = Command.make(
  "restore",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A file that `forum backup` has written")),
    check: Flag.Boolean("check").pipe(
      Flag.withDescription("Read the file, say whether it is whole and what is in it, and change nothing"),
      Flag.withDefault(false)
    ),
    withoutKey: Flag.Boolean("without-key").pipe(
      Flag.withDescription(
        "Restore although the key is lost by which secrets are encrypted: what they are for has to be set up again"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ check, file, withoutKey }) {
    if (check) {
      return yield* Console.log(`${file} is ${describe(yield* checkFile(file, process.stderr))}.`)
    }
    const restored = yield* restoreFile(file, process.stderr, { withoutKey })
    yield* Console.log(`Restored ${describe(restored)}. ${outcomeOf(restored.state)}`)
  }, Effect.provide(stored))
).pipe(
  Command.withDescription(
    "Restores a backup into an empty database, and brings that to this release. The file is checked before anything is written; what fails or is interrupted leaves the database empty."
  ),
  Command.withExamples([
    {
      command: "forum restore 2026-11-26.tar.zst",
      description: "Restore into the empty database of the settings"
    },
    { command: "forum restore --check 2026-11-26.tar.zst", description: "See whether a backup is whole" }
  ])
)
