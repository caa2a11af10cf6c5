import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../domain/shared/Ids.ts"
import { slugify } from "../../domain/shared/Slug.ts"
import { insertRows } from "../shared/insertRows.ts"

/** Turns tag names into tags, which come into being when first named. */
export const makeTagWriter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* Ids

  /** The ids of the tags with these names. All writers insert in one order, so that none waits for another in a circle. */
  const resolve = Effect.fnUntraced(function* (names: ReadonlyArray<string>, at: Date) {
    const slugs = [...new Set(names.map(slugify).filter((slug) => slug !== ""))].sort()
    if (slugs.length === 0) return []
    const rows = yield* Effect.forEach(slugs, (name) =>
      Effect.map(ids.next, (id) => ({ id, name, created_at: at }))
    )
    yield* insertRows(sql, "tags", rows)
    const found = yield* sql<{
      readonly id: string
    }>`select id from tags where name = any(${slugs}::text[]) order by id`
    return found.map(({ id }) => id)
  })

  return { resolve } as const
})
