/** The backups of a forum in a directory. Files that are not of its series are nobody's business here. */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { backupNamed, isLeftover, type NamedBackup } from "./BackupNames.ts"

export interface Series {
  readonly directory: string
  /** What the names of its backups begin with. */
  readonly series: string
}

const filesIn = async (directory: string) => {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

/** The backups of a series; none, where there is no directory. */
export const backupsIn = async ({ directory, series }: Series): Promise<ReadonlyArray<NamedBackup>> =>
  (await filesIn(directory)).flatMap((name) => backupNamed(series, name) ?? [])

/** The same for a schedule. */
export const listOf = (series: Series) =>
  Effect.tryPromise({ try: () => backupsIn(series), catch: (error) => error })

/** Removes what backups of the series have left that were killed. Nobody may be making one. */
export const removeLeftovers = async ({ directory, series }: Series): Promise<void> => {
  for (const name of await filesIn(directory))
    if (isLeftover(series, name)) await rm(join(directory, name), { force: true })
}
