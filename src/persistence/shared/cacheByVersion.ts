/** Rows that many answers show and that seldom change: read once, and kept in memory as long as none of their kind changes. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { type Unsettled, UnsettledReads } from "../../domain/storage/Transaction.ts"

/** Reads the values of these ids; an id that has none is left out. */
type Read<Id, Value> = (
  ids: ReadonlyArray<Id>,
  version: string
) => Effect.Effect<Iterable<readonly [Id, Value]>>

/** The values of one version, and when the first of them was asked for. */
interface Kept<Id extends string, Value extends {}> {
  readonly version: string
  readonly begun: number
  readonly values: LRUCache<Id, Value>
}

/**
 * Makes a reader of values by id that keeps `max` of them. It is told a version that was read before and that
 * changes whenever any value does: what it answers is not older.
 */
export const cacheByVersion = <Id extends string, Value extends {}>(max: number, read: Read<Id, Value>) => {
  const begin = (version: string): Kept<Id, Value> => ({
    version,
    begun: performance.now(),
    values: new LRUCache<Id, Value>({ max })
  })
  let kept = begin("")
  // Of those who read what may still be undone: its version may come again, and mean something else.
  const unsettled = new WeakMap<Unsettled, Kept<Id, Value>>()

  const ownOf = (reader: Unsettled, since: number, version: string) => {
    // Versions increase: one that others had before this reader wrote says that it has changed nothing of the kind.
    if (kept.version === version && kept.begun < since) return kept
    const known = unsettled.get(reader)
    if (known?.version === version) return known
    const own = begin(version)
    unsettled.set(reader, own)
    reader.whenCommitted(() => {
      if (unsettled.get(reader) === own && kept.version !== version) kept = own
    })
    return own
  }

  const keptFor = (reader: Unsettled, version: string) => {
    const since = reader.since()
    if (since !== undefined) return ownOf(reader, since, version)
    // A reader with another version starts anew; readers of the version before keep theirs.
    if (kept.version !== version) kept = begin(version)
    return kept
  }

  return Effect.fnUntraced(function* (ids: Iterable<Id>, version: string) {
    const { values } = keptFor(yield* UnsettledReads, version)
    const found = new Map<Id, Value>()
    const missing: Array<Id> = []
    for (const id of new Set(ids)) {
      const value = values.get(id)
      if (value === undefined) missing.push(id)
      else found.set(id, value)
    }
    if (missing.length === 0) return found
    for (const [id, value] of yield* read(missing, version)) {
      values.set(id, value)
      found.set(id, value)
    }
    return found
  })
}
