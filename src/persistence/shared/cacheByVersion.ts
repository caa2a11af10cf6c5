/** Rows that many answers show and that seldom change: read once, and kept in memory as long as none of their kind changes. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"

/** Reads the values of these ids; an id that has none is left out. */
type Read<Id, Value> = (
  ids: ReadonlyArray<Id>,
  version: string
) => Effect.Effect<Iterable<readonly [Id, Value]>>

/**
 * Makes a reader of values by id that keeps `max` of them. It is told a version that was read before and that
 * changes whenever any value does: what it answers is not older.
 */
export const cacheByVersion = <Id extends string, Value extends {}>(max: number, read: Read<Id, Value>) => {
  const begin = (version: string) => ({ version, values: new LRUCache<Id, Value>({ max }) })
  let kept = begin("")

  return Effect.fnUntraced(function* (ids: Iterable<Id>, version: string) {
    // A reader with another version starts anew; readers of the version before keep theirs.
    if (kept.version !== version) kept = begin(version)
    const { values } = kept
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
