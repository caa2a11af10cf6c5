/** Reads where the service makes backups, how often, and how many of them it keeps; nowhere, if no directory is named. */
import { Effect } from "effect"
import { readLifetime } from "./KeySettings.ts"
import { integer, refuse, setting, textOf } from "./Setting.ts"

const minute = 60
const hour = 60 * minute

/** How often backups are made: how a setting or a flag says it, in seconds. */
export const backupInterval = {
  form: "a time from 1m to 8760h, like 24h",
  read: readLifetime(minute, 8760 * hour)
}

/** How many are kept. */
export const keptBounds = { least: 1, most: 10_000 }

export const readBackups = Effect.gen(function* () {
  const directory = yield* textOf("BACKUP_DIR", "the path of a directory")
  const every = yield* setting("BACKUP_EVERY", backupInterval.form, backupInterval.read)
  const keep = yield* integer("BACKUP_KEEP", keptBounds.least, keptBounds.most)
  if (directory !== "") return { directory, everySeconds: every ?? 24 * hour, keep: keep ?? 7 }
  if (every === undefined && keep === undefined) return undefined
  return yield* refuse("BACKUP_DIR", "the directory of backups, since BACKUP_EVERY or BACKUP_KEEP is set")
})
