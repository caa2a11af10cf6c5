/** Parallel changes of the tree of pages. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { NodeNotFound, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import { NodeInItself } from "../../src/domain/library/NodeProblems.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
import { addChild, checkTree, childrenOf, page, place, published, removeChild } from "./writeSupport.ts"

const atOnce = <A, E, R>(count: number, make: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => make(n)),
    { concurrency: "unbounded" }
  )

const many = 50

/** How many answers there are of each kind. */
const tally = (answers: ReadonlyArray<Answer>) => {
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const kind = answer.status === 200 ? "ok" : problemOf(answer)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

layer(People.layer)("parallel requests", (it) => {
  it.effect("add pages to one parent, each at a place of its own", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* published(odin, "Shelf")
      yield* atOnce(many, (n) =>
        n % 2 === 0
          ? published(odin, `Child ${n}`, { parent: id })
          : page(freya, `Child ${n}`, { parent: id })
      )
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select from nodes where parent_id = ${id}`
      assert.strictEqual(rows.length, many)
      assert.strictEqual((yield* childrenOf(guest, id)).length, many / 2)
      yield* atOnce(many, (n) => published(odin, `Top ${n}`))
      yield* checkTree
    })
  )

  it.effect("give one slug to one page", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const created = yield* atOnce(many, (n) =>
        (n % 2 === 0 ? freya : loki).post("/nodes", { name: "The one" })
      )
      assert.deepStrictEqual(tally(created), { ok: 1, "node-slug-taken": many - 1 })
      const pages = yield* atOnce(20, (n) => page(odin, `Renamed ${n}`))
      const renamed = yield* atOnce(20, (n) => odin.patch(`/nodes/${pages[n]?.id}`, { slug: "the-other" }))
      assert.deepStrictEqual(tally(renamed), { ok: 1, "node-slug-taken": 19 })
      for (const answer of renamed) {
        if (answer.status !== 200) assertProblem(answer, NodeSlugTaken, { slug: "the-other" })
      }
    })
  )

  it.effect("do not wait for a slug that another one gives up or takes", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* page(freya, "Waiting")
      const other = yield* page(freya, "Given up")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select take_node_slug(${other.id}, 'wanted')`
          for (const slug of ["given-up", "wanted"]) {
            assertProblem(yield* freya.patch(`/nodes/${id}`, { slug }), NodeSlugTaken, { slug })
          }
          assertProblem(yield* freya.post("/nodes", { name: "Wanted" }), NodeSlugTaken, { slug: "wanted" })
        })
      )
      ok(yield* freya.patch(`/nodes/${id}`, { slug: "wanted" }))
    })
  )

  it.effect("change the fields of the group where a page is once nobody moves it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [from, to] = [yield* published(odin, "Left group"), yield* published(odin, "Right group")]
      const node = yield* published(odin, "Of a group", { parent: from.id })
      const properties = [{ name: "Weight", type: "number", value: "1" }]
      const isReady = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      // Somebody changes the group where the page is going to be.
      const others = yield* Effect.forkDetach(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_advisory_xact_lock(731620004, hashtext(${to.id}))`
            yield* Deferred.succeed(isReady, undefined)
            yield* Deferred.await(mayEnd)
          })
        )
      )
      yield* Deferred.await(isReady)
      const writing = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select lock_library_tree()`
          const writing = yield* Effect.forkDetach(odin.patch(`/nodes/${node.id}/properties`, { properties }))
          yield* untilWaiting(1)
          yield* sql`update nodes set parent_id = ${to.id} where id = ${node.id}`
          return writing
        })
      )
      yield* untilWaiting(1)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(others)
      ok(yield* Fiber.join(writing))
      const { nodes } = ok(yield* odin.get(`/nodes/${to.id}/children`))
      assert.strictEqual(nodes[0].properties[0].value, "1")
    })
  )

  it.effect("never exchange slugs, and never wait for each other in a circle", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const [a, b] = [yield* page(freya, "Slug a"), yield* page(freya, "Slug b")]
      for (let round = 0; round < 10; round++) {
        const answers = yield* atOnce(20, (n) =>
          n % 2 === 0
            ? freya.patch(`/nodes/${a.id}`, { slug: "slug-b", properties: [] })
            : odin.patch(`/nodes/${b.id}`, { slug: "slug-a", tags: [`t${n}`] })
        )
        assert.deepStrictEqual(tally(answers), { "node-slug-taken": 20 })
      }
    })
  )

  it.effect("move pages into each other without ever making a circle", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const pages = yield* atOnce(8, (n) => published(odin, `Moving ${n}`))
      const idOf = (n: number) => pages[n % 8]?.id ?? ""
      for (let round = 0; round < 3; round++) {
        const answers = yield* atOnce(many, (n) => {
          const [one, other] = [idOf(n * 3 + round), idOf(n * 5 + 1 + round)]
          if (n % 5 === 0) return odin.patch(`/nodes/${one}`, { parent: other })
          if (n % 7 === 0) return removeChild(odin, one, other)
          if (n % 3 === 0) return place(odin, one, { parent: other })
          return addChild(odin, one, other)
        })
        for (const answer of answers) {
          if (answer.status !== 200) assertProblem(answer, NodeInItself)
        }
        assert.isAbove(tally(answers).ok ?? 0, 0)
        yield* checkTree
      }
    })
  )

  it.effect("move pages to the same gap", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* published(odin, "Gap")
      const ends = [
        yield* published(odin, "First", { parent: id }),
        yield* published(odin, "Last", { parent: id })
      ]
      const pages = yield* atOnce(many, (n) =>
        published(odin, `Into the gap ${n}`, n % 2 === 0 ? { parent: id } : {})
      )
      const answers = yield* atOnce(many, (n) =>
        place(odin, pages[n]?.id ?? "", { parent: id, before: ends[1]?.id })
      )
      assert.deepStrictEqual(tally(answers), { ok: many })
      const names = yield* childrenOf(guest, id)
      assert.strictEqual(names.length, many + 2)
      assert.deepStrictEqual([names[0], names.at(-1)], ["First", "Last"])
      yield* checkTree
    })
  )

  it.effect("lose no page that is added to one that is being deleted", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const target = yield* published(odin, "Target of all")
      for (let round = 0; round < 3; round++) {
        const { id } = yield* published(odin, `Deleted ${round}`)
        const answers = yield* atOnce(40, (n) => {
          if (n === 20) return odin.delete(`/nodes/${id}${round === 0 ? "" : "?target_node=target-of-all"}`)
          if (n % 4 === 0) return addChild(odin, target.id, id)
          return freya.post("/nodes", { name: `Added ${round} ${n}`, parent: id, visibility: "review" })
        })
        assert.strictEqual(ok(answers[20] ?? assert.fail("deleted")) instanceof Object, true)
        for (const answer of answers) if (answer.status !== 200) assertProblem(answer, NodeNotFound)
        yield* checkTree
      }
      const sql = yield* SqlClient.SqlClient
      const left = yield* sql`select from nodes where name like 'Deleted %'`
      assert.strictEqual(left.length, 0)
    })
  )

  it.effect("delete a page once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* published(odin, "Once", { tags: ["once"] })
      const answers = yield* atOnce(20, () => odin.delete(`/nodes/${id}`))
      assert.deepStrictEqual(tally(answers), { ok: 1, "node-not-found": 19 })
      assert.strictEqual(ok(yield* guest.get("/tags/once")).item_count, 0)
    })
  )

  it.effect("change nothing of a page that has the id of a deleted one as its slug", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [gone, other] = [yield* published(odin, "Gone"), yield* published(odin, "Other")]
      yield* sql`update nodes set slug = ${gone.id} where id = ${other.id}`
      const changing = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from nodes where id = ${gone.id} for update`
          const changing = yield* Effect.forkDetach(odin.patch(`/nodes/${gone.id}`, { name: "Changed" }))
          yield* untilWaiting(1)
          yield* sql`delete from nodes where id = ${gone.id}`
          return changing
        })
      )
      assertProblem(yield* Fiber.join(changing), NodeNotFound)
      assert.strictEqual(ok(yield* guest.get(`/nodes/${other.id}`)).name, "Other")
    })
  )

  it.effect("count a page for its tags as it is in the end", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* published(odin, "Counted", { tags: ["c0"] })
      yield* atOnce(many, (n) => {
        if (n % 3 === 0) return odin.patch(`/nodes/${id}`, { tags: [`c${n % 4}`, `c${n % 5}`] })
        return odin.patch(`/nodes/${id}/visibility`, { visibility: n % 2 === 0 ? "draft" : "published" })
      })
      const sql = yield* SqlClient.SqlClient
      const wrong = yield* sql`select t.name from tags t where t.item_count <> (
        select count(*) from node_tags nt join nodes n on n.id = nt.node_id
        where nt.tag_id = t.id and n.visibility = 'published')`
      assert.deepStrictEqual(wrong, [])
    })
  )
})
