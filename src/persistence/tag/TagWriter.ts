import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Ids } from "../../domain/shared/Ids.ts"
import { slugify } from "../../domain/shared/Slug.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"
import { idsOf } from "../shared/Query.ts"

/** A change of the number of items that carry the tag with this id. */
export interface CountChange {
  readonly id: string
  readonly by: -1 | 1
}

/** Turns tag names into tags, which are created when they are first used, and counts what carries them. */
export const makeTagWriter = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const ids = yield* Ids

  /** The ids of the tags with these names. All writers insert in one order. */
  const resolve = Effect.fnUntraced(function* (names: ReadonlyArray<string>, at: Date) {
    const slugs = [...new Set(names.map(slugify).filter((slug) => slug !== ""))].sort()
    if (slugs.length === 0) return []
    const rows = yield* Effect.forEach(slugs, (name) =>
      Effect.map(ids.next, (id) => ({ id, name, created_at: at }))
    )
    yield* locking("tag")(insertRows(sql, "tags", rows))
    return yield* idsOf(
      sql<{ readonly id: string }>`select id from tags where name = any(${slugs}::text[]) order by id`
    )
  })

  /** Changes the counts of tags, sorted by id. */
  const count = Effect.fnUntraced(function* (changes: ReadonlyArray<CountChange>) {
    if (changes.length === 0) return
    const all = changes.map(({ id }) => id)
    const more = changes.filter(({ by }) => by === 1).map(({ id }) => id)
    // Two statements: one that locked in a CTE and updated from it deadlocked with its like under load.
    yield* locking("tag count")(
      sql`select from tags where id = any(${all}::text[]) order by id for no key update`
    )
    yield* sql`update tags set item_count = item_count + case when id = any(${more}::text[]) then 1 else -1 end
      where id = any(${all}::text[])`
  })

  return { resolve, count } as const
})
