import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { CategoryTaken, CategoryUnknown } from "../../domain/category/Category.ts"
import { CategoryStore } from "../../domain/category/CategoryStore.ts"
import { selected } from "../shared/Columns.ts"
import { timestamp } from "../shared/Rows.ts"
import { onUniqueViolation, orDefect } from "../shared/SqlErrors.ts"
import { type CategoryRow, categoryColumns, categoryOf } from "./CategoryRows.ts"

export const layer = Layer.effect(
  CategoryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(selected(categoryColumns))

    return CategoryStore.of({
      list: sql<CategoryRow>`select ${columns} from categories c order by sort, created_at, id`.pipe(
        Effect.map((rows) => rows.map((row) => categoryOf(row))),
        orDefect
      ),

      findBySlug: (slug) =>
        sql<CategoryRow>`select ${columns} from categories c
          where slug = ${slug} or parent_id = (select id from categories where slug = ${slug})
          order by slug = ${slug} desc, sort, created_at, id`.pipe(
          Effect.map(([row, ...children]) =>
            row?.category_slug === slug
              ? Option.some(
                  categoryOf(
                    row,
                    children.map((child) => categoryOf(child))
                  )
                )
              : Option.none()
          ),
          orDefect
        ),

      insert: (category) =>
        Effect.gen(function* () {
          const { parent } = category
          if (parent !== undefined) {
            const found = yield* sql`select 1 from categories where id = ${parent} for key share`
            if (found.length === 0) {
              return yield* new CategoryUnknown({ metadata: { field: "parent", id: parent } })
            }
          }
          yield* sql`insert into categories ${sql.insert({
            id: category.id,
            created_at: timestamp(category.at),
            updated_at: timestamp(category.at),
            name: category.name,
            slug: category.slug,
            description: category.description,
            colour: category.colour,
            parent_id: parent ?? null,
            meta: sql.json(category.meta)
          })}`.pipe(
            onUniqueViolation(
              () => new CategoryTaken({ metadata: { name: category.name, slug: category.slug } })
            )
          )
        }).pipe(Effect.catchTag("SqlError", (error) => orDefect(Effect.fail(error))))
    })
  })
)
