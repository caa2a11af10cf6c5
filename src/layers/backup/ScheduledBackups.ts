/** Backups that the service makes by its settings. Instances that share a directory make each of them once. */
import { Cause, Effect, Layer } from "effect"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import { Settings } from "../process/Settings.ts"
import { listOf } from "./BackupDirectory.ts"
import { seriesOf } from "./BackupNames.ts"
import { BackupFailed, runBackup } from "./BackupProcess.ts"
import { followSchedule } from "./BackupSchedule.ts"

/** The reason, where a process said one: it has no stack that would say more. */
const failureOf = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof BackupFailed ? error.message : cause
}

/** An interval as the command reads it. Of many seconds only whole minutes are set. */
const intervalText = (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`)

const scheduled = Effect.gen(function* () {
  const { backups, publicUrl } = yield* Settings
  if (backups === undefined) return
  const { directory, everySeconds, keep } = backups
  const { report } = yield* InternalErrors
  const make = Effect.gen(function* () {
    const { errors, output } = yield* runBackup([
      ...["--every", intervalText(everySeconds), "--keep", String(keep), "--once"],
      directory
    ])
    yield* Effect.logInfo(output)
    if (errors !== "") yield* Effect.logWarning(errors)
  })
  yield* followSchedule({
    list: listOf({ directory, series: seriesOf(publicUrl) }),
    every: everySeconds * 1000,
    make,
    report: (cause) =>
      report({ where: "backup", what: "A scheduled backup was not made", failure: failureOf(cause) })
  })
})

/** Makes them beside requests, as long as the service runs. */
export const live = Layer.effectDiscard(Effect.forkScoped(scheduled))
