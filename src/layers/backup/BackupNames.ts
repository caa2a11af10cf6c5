/** How backups that are made again and again are named, when the next one is due, and which of them go. Pure. */

const millis = { minute: 60_000, hour: 3_600_000 }

/** A backup of a series, as its name says. */
export interface NamedBackup {
  readonly name: string
  /** When it was begun, in milliseconds. */
  readonly at: number
}

const seriesMax = 120

/**
 * What the names of all backups of a forum begin with: its address. So several forums may share a directory, and none
 * of them takes the backups of another for its own.
 */
export const seriesOf = ({ host, pathname }: URL): string =>
  `${host}${pathname}`
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "_")
    .replace(/^[._-]+|[._-]+$/g, "")
    .slice(0, seriesMax)

const ending = ".tar.zst"

const timeText = (at: Date) => at.toISOString().slice(0, 19).replace(/[-:]/g, "")

/** The name of a backup that begins now. */
export const nameOf = (series: string, at: Date): string => `${series}-${timeText(at)}Z${ending}`

const time = /^-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** The backup of a series that has this name, if it is one. */
export const backupNamed = (series: string, name: string): NamedBackup | undefined => {
  if (!name.startsWith(series) || !name.endsWith(ending)) return undefined
  const [found, year, month, day, hour, minute, second] =
    time.exec(name.slice(series.length, -ending.length)) ?? []
  if (found === undefined) return undefined
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // There is no 30th of February, which would be read as the 1st or 2nd of March.
  return Number.isNaN(at) || nameOf(series, new Date(at)) !== name ? undefined : { name, at }
}

const unfinished = /^(.*)\.[0-9a-f]{12}\.unfinished$/

/** Whether a file is what a backup of the series has left that was killed. */
export const isLeftover = (series: string, name: string): boolean => {
  const [, of] = unfinished.exec(name) ?? []
  return of !== undefined && backupNamed(series, of) !== undefined
}

/** Clocks of several machines may differ by as much; what is from later yet holds up nothing. */
const skewMax = 10 * millis.minute

/** The newest backup that is not of the future. */
export const newestOf = (backups: ReadonlyArray<NamedBackup>, now: number): NamedBackup | undefined =>
  backups.filter(({ at }) => at <= now + skewMax).toSorted((a, b) => b.at - a.at)[0]

/** When the next backup is due. The first is at once, and so is one whose time has passed. */
export const dueAt = (newest: NamedBackup | undefined, every: number, now: number): number =>
  newest === undefined ? now : Math.max(now, newest.at + every)

export interface Kept extends NamedBackup {
  /** Whether its end is there. */
  readonly isWhole: boolean
}

/**
 * Which backups go once another one was made and checked: those that are older than the newest ones which are kept,
 * of which it is one. What is cut off is not counted among these, and what is newer than it stays.
 */
export const decideRemoved = (
  made: NamedBackup,
  others: ReadonlyArray<Kept>,
  keep: number
): ReadonlyArray<string> => {
  const older = others
    .filter(({ at, name }) => at <= made.at && name !== made.name)
    .toSorted((a, b) => b.at - a.at)
  let whole = 1
  return older.flatMap(({ isWhole, name }) => {
    if (whole >= keep) return [name]
    whole += isWhole ? 1 : 0
    return []
  })
}

const pauses = { first: 5 * millis.minute, most: 6 * millis.hour }

/** How long after a failure a backup is tried again, after so many failures in a row. */
export const pauseAfter = (failures: number, every: number): number =>
  Math.min(pauses.first * 2 ** Math.min(failures - 1, 16), pauses.most, every)
