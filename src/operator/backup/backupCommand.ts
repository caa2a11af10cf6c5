/** `forum backup`. */
import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { listOf } from "../../layers/backup/BackupDirectory.ts"
import { seriesOf } from "../../layers/backup/BackupNames.ts"
import { followSchedule } from "../../layers/backup/BackupSchedule.ts"
import { backupInterval, keptBounds } from "../../layers/process/BackupSettings.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { lasting } from "../Lasting.ts"
import { OperatorFailure, reasonOf } from "../OperatorFailure.ts"
import { sizeText } from "../shared/Progress.ts"
import { stored } from "../shared/stored.ts"
import { contentsText, makeBackup, missingText } from "./backup.ts"
import { makeNext, type Next } from "./nextBackup.ts"
import type { Packed } from "./Packing.ts"

type Made = Packed & {
  readonly file: string
  readonly size: number
  readonly removed?: ReadonlyArray<string>
}

const tell = Effect.fnUntraced(function* ({ file, removed = [], size, ...packed }: Made) {
  const missing = missingText(packed)
  if (missing !== undefined) yield* Console.error(missing)
  const without = removed.length === 0 ? "" : ` Removed ${removed.join(", ")}.`
  yield* Console.log(`${file} has ${contentsText(packed.totals)}. It takes ${sizeText(size)}.${without}`)
})

const timeText = (at: number) => new Date(at).toISOString()

const makeOne = Effect.fnUntraced(function* (next: Next) {
  const outcome = yield* makeNext(next, process.stderr)
  switch (outcome._tag) {
    case "Made":
      return yield* tell(outcome)
    case "NotDue":
      return yield* Console.log(
        `${outcome.newest.name} is the newest backup. The next one is due at ${timeText(outcome.dueAt)}.`
      )
    case "Another":
      return yield* Console.log("Another backup is being made.")
  }
})

const interval = Flag.String("every").pipe(
  Flag.filterMap(
    (text) => Option.fromUndefinedOr(backupInterval.read(text)),
    () => `expected ${backupInterval.form}`
  ),
  Flag.map((seconds) => seconds * 1000),
  Flag.withDescription(
    "Make one in this directory whenever the newest is so old, until the command is ended"
  ),
  Flag.optional
)

const kept = Flag.Int("keep").pipe(
  Flag.filter(
    (number) => number >= keptBounds.least && number <= keptBounds.most,
    () => `expected a whole number from ${keptBounds.least} to ${keptBounds.most}`
  ),
  Flag.withDescription("Make one in this directory, and then remove its older ones but for so many"),
  Flag.optional
)

export const backup = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "Where the backup goes: a file that does not exist; with --every or --keep a directory"
      )
    ),
    every: interval,
    keep: kept,
    once: Flag.Boolean("once").pipe(
      Flag.withDescription("With --every: make one if the newest is so old, and end"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ file, once, ...flags }) {
    const { publicUrl } = yield* Settings
    const every = Option.getOrUndefined(flags.every)
    const keep = Option.getOrUndefined(flags.keep)
    if (once && every === undefined)
      return yield* new OperatorFailure({
        message: "--once says how long --every lasts, which is not given."
      })
    if (every === undefined && keep === undefined)
      return yield* tell({ file, ...(yield* makeBackup(file, process.stderr)) })
    const series = { directory: resolve(file), series: seriesOf(publicUrl) }
    const make = makeOne({ ...series, every, keep })
    if (every === undefined || once) return yield* make
    const report = (cause: Parameters<typeof reasonOf>[0]) => Console.error(reasonOf(cause))
    return yield* lasting(followSchedule({ list: listOf(series), every, make, report }))
  }, Effect.provide(stored))
).pipe(
  Command.withDescription(
    "Writes the database as it is at this moment, and the files that it names, into one file, also while the service runs. Whoever has the file can do anything in the forum: keep it where nobody else reads it."
  ),
  Command.withExamples([
    {
      command: "forum backup /var/backups/forum/2026-11-26.tar.zst",
      description: "Back up a running service"
    },
    {
      command: "forum backup --keep 7 /var/backups/forum",
      description: "Make another one beside others, and keep seven"
    },
    {
      command: "forum backup --every 24h --keep 7 /var/backups/forum",
      description: "Do so every day, as the service does by BACKUP_DIR"
    }
  ])
)
