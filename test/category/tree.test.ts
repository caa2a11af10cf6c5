/** Parallel changes of categories, and what the database itself refuses. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { CategoryStore } from "../../src/domain/category/CategoryStore.ts"
import { CategoriesFull, limits } from "../../src/domain/category/CategoryTree.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { category, miscountedAuthors, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const atOnce = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

const move = (by: Person, slug: string, position: object) =>
  by.patch(`/categories/${slug}/position`, position)

const failuresAmong = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status >= 500)

/** Counts that differ from what they count. */
const miscounted = SqlClient.SqlClient.use(
  (sql) => sql`select id from categories c where post_count <> (
    select count(*) from threads where category_id = c.id and visibility = 'published' and deleted_at is null)`
)

layer(People.layer)("parallel changes of categories", (it) => {
  it.effect("never make a circle", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const all = yield* Effect.forEach(times(6), (n) => category(odin, `Round ${n}`))
      const answers = yield* atOnce(
        times(36).map((n) => {
          const [from, to] = [all[n % 6], all[(n + 1 + (n % 4)) % 6]]
          return move(odin, from.slug, { parent: to.id })
        })
      )
      assert.deepStrictEqual(failuresAmong(answers), [])
      assert.isNotEmpty(answers.filter(({ status }) => status === 200))
      const reached = yield* sql`with recursive tree as (
          select id from categories where parent_id is null
          union all select c.id from categories c join tree t on c.parent_id = t.id
        ) select id from tree`
      assert.strictEqual(reached.length, 6)
      // Each group is numbered from 0 where something was moved.
      const doubled = yield* sql`select parent_id, sort from categories
        where parent_id is not null group by parent_id, sort having count(*) > 1`
      assert.deepStrictEqual(doubled, [])
    })
  )

  it.effect("and of threads lose no thread, and count each where it is", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const places = yield* Effect.forEach(times(4), (n) => category(odin, `Place ${n}`))
      const [first, second, third, target] = idsOf(places)
      const threads = yield* Effect.forEach(times(8), (n) =>
        open(freya, `Moved ${n}`, { category: places[n % 3].id })
      )
      const answers = yield* atOnce([
        ...times(8).map((n) =>
          freya.patch(`/threads/${threads[n].id}`, { category: places[(n + 1) % 4].id })
        ),
        ...times(8).map((n) =>
          loki.post("/threads", { title: `${n}`, visibility: "published", category: places[n % 4].id })
        ),
        ...times(4).map((n) => freya.patch(`/threads/${threads[n].id}`, { visibility: "draft" })),
        ...times(4).map((n) => odin.patch(`/categories/place-${n}`, { name: `Renamed ${n}` })),
        odin.delete("/categories/place-0", { move_to: target }),
        odin.delete("/categories/place-1", { move_to: target }),
        move(odin, "place-2", { parent: target }),
        move(odin, "place-3", { before: third }),
        ...times(4).map((n) => freya.delete(`/threads/${threads[n + 4].id}`)),
        ...times(8).map((n) =>
          loki.post("/threads", { title: `late ${n}`, visibility: "published", category: places[n % 2].id })
        )
      ])
      assert.deepStrictEqual(failuresAmong(answers), [])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual([...(yield* miscounted), ...(yield* miscountedAuthors)], [])
      const { categories } = ok(yield* guest.get("/categories"))
      assert.notInclude(idsOf(categories), first)
      assert.notInclude(idsOf(categories), second)
      const written = answers.filter(({ json, status }) => status === 200 && json?.reply_status !== undefined)
      const [kept] = yield* sql<{ readonly kept: number }>`
        select count(*)::int as kept from threads where category_id is not null`
      assert.strictEqual(kept?.kept, 8 + written.filter(({ request }) => request.startsWith("POST")).length)
    })
  )

  it.effect("wait for a thread that has entered the category, and move it too", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const left = yield* category(odin, "Entered")
      const target = yield* category(odin, "Entered instead")
      const thread = yield* open(freya, "Enters")
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select enter_category(${left.id})`
          const asked = yield* Effect.forkChild(odin.delete("/categories/entered", { move_to: target.id }))
          yield* Effect.raceFirst(untilWaiting(1), Fiber.await(asked))
          yield* sql`update threads set category_id = ${left.id} where id = ${thread.id}`
          yield* sql`update categories set post_count = post_count + 1 where id = ${left.id}`
          return asked
        })
      )
      ok(yield* Fiber.join(asked))
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).category.id, target.id)
      assert.deepStrictEqual(yield* miscounted, [])
    })
  )

  it.effect("delete a category once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const target = yield* category(odin, "Rest")
      yield* category(odin, "Once")
      const answers = yield* atOnce(
        times(10).map(() => odin.delete("/categories/once", { move_to: target.id }))
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(404)])
    })
  )
})

layer(People.layer)("the database", (it) => {
  const insert = (sql: SqlClient.SqlClient, id: string, parent: string | null) =>
    sql`insert into categories (id, created_at, updated_at, name, slug, description, colour, parent_id)
      values (${id}, now(), now(), ${id}, ${id}, '', '', ${parent})`

  it.effect("refuses a circle, too many levels, too many categories and too much text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const level of times(limits.levels)) {
        yield* insert(sql, `level${level}`, level === 0 ? null : `level${level - 1}`)
      }
      const last = `level${limits.levels - 1}`
      for (const [what, statement] of [
        ["level", insert(sql, "below", last)],
        ["circle", sql`update categories set parent_id = 'level3' where id = 'level1'`],
        ["circle of all", sql`update categories set parent_id = ${last} where id = 'level0'`],
        ["text", sql`update categories set description = repeat('x', ${limits.bytes}) where id = 'level0'`],
        [
          "number",
          sql`insert into categories (id, created_at, updated_at, name, slug, description, colour)
            select n, now(), now(), n, n, '', ''
            from (select generate_series(1, ${limits.categories - limits.levels + 1})::text as n) many`
        ]
      ] as const) {
        const error = yield* Effect.flip(statement)
        assert.strictEqual(error.reason._tag, "ConstraintError", what)
      }
      assert.strictEqual((yield* sql`select from categories`).length, limits.levels)
    })
  )

  it.effect("refuses a circle that two transactions make together", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insert(sql, "left", null)
      yield* insert(sql, "right", null)
      const begun = yield* Deferred.make<void>()
      const second = sql`update categories set parent_id = 'left' where id = 'right'`
      const other = yield* Effect.forkChild(Effect.andThen(Deferred.await(begun), Effect.result(second)))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update categories set parent_id = 'right' where id = 'left'`
          yield* Deferred.succeed(begun, undefined)
          // The other goes on only when this one has ended.
          yield* Effect.raceFirst(untilWaiting(1), Fiber.await(other))
        })
      )
      assert.strictEqual((yield* Fiber.join(other))._tag, "Failure")
    })
  )
})

layer(People.layer)("the bounds of all categories", (it) => {
  it.effect("hold for their number and their bytes, and beyond them nothing is kept", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* category(odin, "Small")
      yield* sql`insert into categories (id, created_at, updated_at, name, slug, description, colour)
        select lpad(n, 20, '0'), now(), now(), n, n, repeat('x', 515), ''
        from (select generate_series(1, ${limits.categories - 2})::text as n) many`
      const body = { name: "Beyond", description: "x".repeat(2_000), colour: "" }
      const full = { limit: "bytes", maximum: limits.bytes } as const
      const bytes = yield* sql<{ readonly bytes: number }>`select sum(bytes)::int as bytes from categories`
      const fill = "x".repeat(Math.max(0, Math.min(2_000, limits.bytes - (bytes[0]?.bytes ?? 0) - 20)))
      assert.isBelow(fill.length, 2_000)
      assertProblem(yield* odin.post("/categories", body), CategoriesFull, full)
      assertProblem(yield* odin.patch("/categories/small", body), CategoriesFull, full)
      yield* category(odin, "Last", { description: fill.slice(0, -10) })
      assertProblem(yield* odin.post("/categories", { ...body, description: "" }), CategoriesFull, {
        limit: "categories",
        maximum: limits.categories
      })
      const answer = yield* guest.get("/categories")
      assert.strictEqual(ok(answer).categories.length, limits.categories)
      assert.isBelow(answer.text.length, 3 * limits.bytes)
    })
  )
})

const forgetful = TestApp.storesBut(CategoryStore, (ours) => ({
  ...ours,
  findById: () => Effect.succeed(Option.none())
}))

layer(People.withCast(TestApp.layerWhere({}, forgetful)))("a category that is deleted at once", (it) => {
  it.effect("is not found by those who have just created or changed it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const body = { name: "Brief", description: "", colour: "" }
      assertProblem(yield* odin.post("/categories", body), CategoryNotFound, { category_slug: "brief" })
      assertProblem(yield* odin.patch("/categories/brief", { colour: "red" }), CategoryNotFound, {
        category_slug: "brief"
      })
    })
  )
})
