/** Looks for the backups that the service makes. */
import { DateTime, Effect } from "effect"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import { backupsIn } from "../../layers/backup/BackupDirectory.ts"
import { type NamedBackup, newestOf, seriesOf } from "../../layers/backup/BackupNames.ts"
import type { Settings } from "../../layers/process/Settings.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"

const name = "backups"

type Asked = Pick<Settings["Service"], "backups" | "publicUrl">

const hours = (millis: number) => `${Math.floor(millis / 3_600_000)} hours`

/** What is said of the newest backup, where there should be one. */
export const backupFinding = (
  { directory, everySeconds }: NonNullable<Asked["backups"]>,
  newest: NamedBackup | undefined,
  now: number
): Finding => {
  const todo = "If the service has run for that long, its log and the audit log (internal_error) say why."
  if (newest === undefined) return warn(name, `There is none in ${directory} yet`, todo)
  const age = now - newest.at
  return age > 2 * everySeconds * 1000
    ? fail(name, `The newest one in ${directory} is ${hours(age)} old`, todo)
    : ok(name, `The newest one in ${directory} is ${newest.name}`)
}

/** Whether the service has made the backups that its settings ask for. */
export const backupsFinding = Effect.fnUntraced(function* ({ backups, publicUrl }: Asked) {
  if (backups === undefined) return ok(name, "The service makes none (BACKUP_DIR)")
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  const series = { directory: backups.directory, series: seriesOf(publicUrl) }
  return yield* Effect.tryPromise({ try: () => backupsIn(series), catch: errorText }).pipe(
    Effect.match({
      onSuccess: (found) => backupFinding(backups, newestOf(found, now), now),
      onFailure: (reason) =>
        fail(name, `${backups.directory} cannot be read: ${reason}`, "Run this as the user of the service.")
    })
  )
})
