/** The tree of all categories, as the transaction that has locked it sees and changes it. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { NumberedCategory, TreeNode } from "../../domain/category/CategoryRules.ts"
import { CategoryId } from "../../domain/shared/Id.ts"
import { locking } from "../shared/Locks.ts"
import { decoded } from "../shared/Query.ts"

const NodeRow = Schema.Struct({
  id: CategoryId,
  name: Schema.String,
  slug: Schema.String,
  parent_id: Schema.NullOr(CategoryId),
  sort: Schema.Int
})

const nodes = decoded(NodeRow)

const nodeOf = ({ parent_id, ...row }: typeof NodeRow.Type): TreeNode => ({
  ...row,
  parent: parent_id ?? undefined
})

export const makeCategoryTree = Effect.map(PgClient.PgClient, (sql) => {
  const lock = Effect.gen(function* () {
    yield* locking("category tree")(sql`select lock_category_tree()`)
    const rows = yield* nodes.all(
      sql`select id, name, slug, parent_id, sort from categories order by sort, created_at, id`
    )
    return rows.map(nodeOf)
  })

  /** Locks the rows of categories, which transactions that only count threads change as well. */
  const lockRows = (ids: ReadonlyArray<CategoryId>) =>
    locking("category row")(
      sql`select from categories where id = any(${ids}::text[]) order by id for no key update`
    )

  /** Writes the parents and the order of categories, whose rows must be locked. Every row gets a new time of change. */
  const write = (places: ReadonlyArray<NumberedCategory>, at: Date) =>
    places.length === 0
      ? Effect.void
      : sql`update categories c
          set parent_id = p.parent_id, sort = p.sort,
            updated_at = greatest(${at}, c.updated_at + interval '1 millisecond')
          from jsonb_to_recordset(${sql.json(places.map(({ id, parent, sort }) => ({ id, parent_id: parent ?? null, sort })))})
            p (id text, parent_id text, sort integer)
          where c.id = p.id`

  return { lock, lockRows, write } as const
})
