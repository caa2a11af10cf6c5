import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { CategoryTaken, CategoryUnknown } from "../../domain/category/Category.ts"
import { CategoryStore } from "../../domain/category/CategoryStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { coalesced } from "../shared/coalesced.ts"
import { locking } from "../shared/Locks.ts"
import { some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, orDefect } from "../shared/SqlErrors.ts"
import { categoryColumns, categoryOf, categoryRows } from "./CategoryRows.ts"

const all = `select ${categoryColumns} from categories order by sort, created_at, id`

const withChildren = `select ${categoryColumns} from categories
  where slug = $1 or parent_id = (select id from categories where slug = $1)
  order by slug = $1 desc, sort, created_at, id`

export const layer = Layer.effect(
  CategoryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return CategoryStore.of({
      list: coalesced(
        Effect.map(categoryRows.all(reads.unsafe(all)), (rows) => rows.map((row) => categoryOf(row)))
      ),

      findBySlug: (slug) =>
        Effect.map(categoryRows.all(reads.unsafe(withChildren, [slug])), ([row, ...children]) =>
          row?.slug === slug
            ? Option.some(
                categoryOf(
                  row,
                  children.map((child) => categoryOf(child))
                )
              )
            : Option.none()
        ),

      checkForUse: Effect.fnUntraced(function* (field, id) {
        const exists = yield* some(
          locking("category")(sql`select 1 from categories where id = ${id} for key share`)
        )
        if (!exists) return yield* new CategoryUnknown({ metadata: { field, id } })
      }),

      insert: Effect.fnUntraced(
        function* ({ at, colour, description, id, meta, name, parent, slug }) {
          const inserted = yield* sql`insert into categories
              (id, created_at, updated_at, name, slug, description, colour, parent_id, meta)
            values (${id}, ${toDate(at)}, ${toDate(at)}, ${name}, ${slug}, ${description}, ${colour},
              ${parent ?? null}, ${sql.json(meta)})
            returning ${sql.literal(categoryColumns)}`.pipe(
            onUniqueViolation(() => new CategoryTaken({ metadata: { name, slug } }))
          )
          return categoryOf(yield* categoryRows.one(inserted))
        },
        (insertion) => orDefect(insertion)
      )
    })
  })
)
