import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { CategoryTaken, CategoryUnknown } from "../../domain/category/Category.ts"
import { CategoryStore } from "../../domain/category/CategoryStore.ts"
import { CategoriesFull, limits } from "../../domain/category/CategoryTree.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { shareRunningRead } from "../shared/shareRunningRead.ts"
import { categoryColumns, categoryOf, categoryRows, makeCoverReader } from "./CategoryRows.ts"
import { CategoryThreads } from "./CategoryThreads.ts"
import { makeCategoryTree } from "./CategoryTreeSql.ts"

const all = `select ${categoryColumns} from categories order by sort, created_at, id`

const withChildren = (category: string) => `select ${categoryColumns} from categories
  where ${category} = $1 or parent_id = (select id from categories where ${category} = $1)
  order by ${category} = $1 desc, sort, created_at, id`

const bySlug = withChildren("slug")
const byId = withChildren("id")

const onTooManyBytes = onViolationOf(
  "categories_bytes",
  () => new CategoriesFull({ metadata: { limit: "bytes", maximum: limits.bytes } })
)

const makeParts = Effect.gen(function* () {
  return {
    sql: yield* PgClient.PgClient,
    reads: yield* QuickReads,
    tree: yield* makeCategoryTree,
    threads: yield* CategoryThreads,
    coversOf: yield* makeCoverReader
  } as const
})
type Parts = Effect.Success<typeof makeParts>

type Store = CategoryStore["Service"]

/** Finds a category by its slug or id: the first row of the statement is the category, the others are its children. */
const findOne = Effect.fnUntraced(function* (
  { coversOf, reads }: Parts,
  text: string,
  field: "slug" | "id",
  value: string
) {
  const rows = yield* categoryRows.all(reads.unsafe(text, [value]))
  const [row, ...children] = rows
  if (row?.[field] !== value) return Option.none()
  const covers = yield* coversOf(rows)
  return Option.some(
    categoryOf(
      row,
      covers,
      children.map((child) => categoryOf(child, covers))
    )
  )
})

const list = ({ coversOf, reads }: Parts) =>
  Effect.gen(function* () {
    const rows = yield* categoryRows.all(reads.unsafe(all))
    const covers = yield* coversOf(rows)
    return rows.map((row) => categoryOf(row, covers))
  })

const findBySlug =
  (parts: Parts): Store["findBySlug"] =>
  (slug) =>
    findOne(parts, bySlug, "slug", slug)

const findById =
  (parts: Parts): Store["findById"] =>
  (id) =>
    findOne(parts, byId, "id", id)

const checkForUse = (sql: PgClient.PgClient): Store["checkForUse"] =>
  Effect.fnUntraced(function* (field, id) {
    // `enter_category` waits for whoever deletes the category. The row is read after that, so that a deleted one is not found.
    const exists = yield* some(
      locking("category")(
        sql`with entered as materialized (select enter_category(${id}))
          select 1 from categories c, entered where c.id = ${id} for key share of c`
      )
    )
    if (!exists) return yield* new CategoryUnknown({ metadata: { field, id } })
  })

const insert = (sql: PgClient.PgClient): Store["insert"] =>
  Effect.fnUntraced(
    function* ({ at, colour, coverId, description, id, meta, name, parent, slug }) {
      yield* sql`insert into categories
          (id, created_at, updated_at, name, slug, description, colour, parent_id, cover_image_asset_id, meta)
        values (${id}, ${toDate(at)}, ${toDate(at)}, ${name}, ${slug}, ${description}, ${colour},
          ${parent ?? null}, ${coverId ?? null}, ${sql.json(meta)})`.pipe(
        onUniqueViolation(() => new CategoryTaken({ metadata: { name, slug } })),
        onTooManyBytes
      )
    },
    (insertion) => orDefect(insertion)
  )

const update = (sql: PgClient.PgClient): Store["update"] =>
  Effect.fnUntraced(
    function* (node, { colour, coverId, description, meta, name, slug }, at) {
      yield* locking("category row")(sql`update categories
        set updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
          name = coalesce(${name ?? null}, name), slug = coalesce(${slug ?? null}, slug),
          description = coalesce(${description ?? null}, description),
          colour = coalesce(${colour ?? null}, colour),
          cover_image_asset_id = case when ${coverId === undefined}::boolean then cover_image_asset_id
            else ${coverId ?? null}::text end,
          meta = coalesce(${meta === undefined ? null : sql.json(meta)}, meta)
        where id = ${node.id}`).pipe(
        onUniqueViolation(
          () => new CategoryTaken({ metadata: { name: name ?? node.name, slug: slug ?? node.slug } })
        ),
        onTooManyBytes
      )
    },
    (update) => orDefect(update)
  )

const place = ({ tree }: Parts): Store["place"] =>
  Effect.fnUntraced(
    function* (places, at) {
      yield* tree.lockRows(places.map(({ id }) => id))
      yield* tree.write(places, toDate(at))
    },
    (placing) => orDefect(placing)
  )

const remove = ({ coversOf, sql, threads, tree }: Parts): Store["delete"] =>
  Effect.fnUntraced(
    function* (id, moveTo, orphans, at) {
      yield* locking("category")(sql`select close_category(${id})`)
      yield* threads.lock(id)
      yield* threads.move(id, moveTo)
      yield* tree.lockRows([id, moveTo, ...orphans.map((orphan) => orphan.id)])
      yield* sql`update categories
        set post_count = post_count + (select post_count from categories where id = ${id})
        where id = ${moveTo}`
      yield* tree.write(orphans, toDate(at))
      const deleted = yield* sql`delete from categories where id = ${id}
        returning ${sql.literal(categoryColumns)}`
      const row = yield* categoryRows.one(deleted)
      return categoryOf(row, yield* coversOf([row]))
    },
    (deletion) => orDefect(deletion)
  )

export const layer = Layer.effect(
  CategoryStore,
  Effect.gen(function* () {
    const parts = yield* makeParts
    const { sql, tree } = parts

    return CategoryStore.of({
      list: shareRunningRead(list(parts)),
      findBySlug: findBySlug(parts),
      findById: findById(parts),
      checkForUse: checkForUse(sql),
      lockTree: orDefect(tree.lock),
      insert: insert(sql),
      update: update(sql),
      place: place(parts),
      delete: remove(parts)
    })
  })
)
