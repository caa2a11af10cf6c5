/** Putting pages into others and taking them out. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import {
  NodeInItself,
  NodeNotYours,
  NodeTooDeep,
  NodeVisibilitiesDiffer
} from "../../src/domain/library/NodeProblems.ts"
import { contains } from "../../src/domain/library/TreeRules.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Visibility } from "../../src/domain/shared/Visibility.ts"
import { ok } from "../support/answers.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { many } from "./readSupport.ts"
import {
  addChild,
  checkTree,
  childrenOf,
  eventsOf,
  namesOf,
  page,
  place,
  published,
  removeChild,
  topLevel
} from "./writeSupport.ts"

layer(People.layer)("putting a page into another one", (it) => {
  it.effect("makes it the last child, however both are named, and answers the parent", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const shelf = yield* published(odin, "Shelf")
      const [a, b, c] = [
        yield* published(odin, "A"),
        yield* published(odin, "B"),
        yield* published(odin, "C")
      ]
      assert.deepStrictEqual(yield* topLevel(), ["Shelf", "A", "B", "C"])
      const tag = yield* etagOf(guest, "/nodes/shelf")
      const answer = ok(yield* addChild(odin, shelf.id, a.slug))
      assert.strictEqual(answer.id, shelf.id)
      assert.deepStrictEqual(namesOf(answer.children), ["A"])
      assert.strictEqual((yield* guest.get("/nodes/shelf", ifNoneMatch(tag))).status, 200)
      assert.strictEqual(ok(yield* addChild(odin, shelf.slug, `${b.id}-b`)).id, shelf.id)
      assert.strictEqual(ok(yield* addChild(odin, `${shelf.id}-x`, c.id)).id, shelf.id)
      assert.deepStrictEqual(yield* childrenOf(guest, "shelf"), ["A", "B", "C"])
      assert.deepStrictEqual(yield* topLevel(), ["Shelf"])
      assert.strictEqual(ok(yield* guest.get("/nodes/a")).parent.id, shelf.id)
      // Nothing changes if it is there.
      assert.deepStrictEqual(yield* eventsOf(addChild(odin, shelf.id, a.id)), [])
      assert.deepStrictEqual(yield* childrenOf(guest, "shelf"), ["A", "B", "C"])
      yield* checkTree
    })
  )

  it.effect("takes it back to the top level, as the last one, and answers it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const answer = yield* removeChild(odin, "shelf", "b")
      assert.strictEqual(ok(answer).slug, "b")
      assert.notProperty(ok(answer), "parent")
      assert.deepStrictEqual(yield* childrenOf(guest, "shelf"), ["A", "C"])
      assert.deepStrictEqual(yield* topLevel(), ["Shelf", "B"])
      // What is not in it stays where it is.
      assert.deepStrictEqual(yield* eventsOf(Effect.map(removeChild(odin, "b", "a"), ok)), [])
      assert.strictEqual(ok(yield* removeChild(odin, "shelf", "b")).slug, "b")
      assert.deepStrictEqual(yield* childrenOf(guest, "shelf"), ["A", "C"])
      yield* checkTree
    })
  )

  it.effect("tells of what has moved", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assert.deepStrictEqual(yield* eventsOf(addChild(odin, "shelf", "b")), ["NodeUpdated b"])
      assert.deepStrictEqual(yield* eventsOf(removeChild(odin, "shelf", "b")), ["NodeUpdated b"])
    })
  )

  it.effect("is for the owner of either and for managers", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_LIBRARY")
      const parent = yield* page(freya, "Parent of freya")
      ok(yield* freya.patch(`/nodes/${parent.id}/visibility`, { visibility: "published" }))
      const child = yield* page(loki, "Child of loki")
      ok(yield* loki.patch(`/nodes/${child.id}/visibility`, { visibility: "published" }))
      for (const who of [freya, loki, odin, keeper]) {
        ok(yield* addChild(who, parent.id, child.id))
        ok(yield* removeChild(who, parent.id, child.id))
      }
      for (const send of [addChild, removeChild]) {
        assertProblem(yield* send(tyr, parent.id, child.id), NodeNotYours)
        assertProblem(yield* send(guest, parent.id, child.id), Unauthenticated)
        assertProblem(yield* send(odin, "nowhere", child.id), NodeNotFound, { node_slug: "nowhere" })
        assertProblem(yield* send(odin, parent.id, "nowhere"), NodeNotFound, { node_slug: "nowhere" })
        for (const mark of [parent.id, parent.slug, `${parent.id}-x`]) {
          assertProblem(yield* send(odin, parent.slug, mark), NodeInItself)
        }
      }
    })
  )

  it.effect("shows nobody a page that they may not see", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* page(freya, "Secret of freya", { content: "secret text" })
      yield* page(loki, "Draft of loki")
      const into = yield* addChild(loki, "secret-of-freya", "draft-of-loki")
      assertProblem(into, NodeNotFound, { node_slug: "secret-of-freya" })
      const other = yield* addChild(loki, "draft-of-loki", "secret-of-freya")
      assertProblem(other, NodeNotFound, { node_slug: "secret-of-freya" })
    })
  )

  it.effect("is allowed for the pairs of visibilities that the rules name, also to administrators", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const parentIs of Visibility.literals) {
        const parent = yield* page(odin, `Parent ${parentIs}`, { visibility: parentIs })
        for (const childIs of Visibility.literals) {
          const child = yield* page(odin, `Child ${childIs} of ${parentIs}`, { visibility: childIs })
          for (const send of [
            addChild(odin, parent.id, child.id),
            place(odin, child.id, { parent: parent.slug })
          ]) {
            const answer = yield* send
            if (contains[parentIs].includes(childIs)) {
              ok(answer)
              assert.strictEqual(ok(yield* odin.get(`/nodes/${child.id}`)).parent.id, parent.id)
              ok(yield* removeChild(odin, parent.id, child.id))
            } else {
              assertProblem(answer, NodeVisibilitiesDiffer, { parent: parentIs, child: childIs })
              assert.notProperty(ok(yield* odin.get(`/nodes/${child.id}`)), "parent")
            }
          }
        }
      }
      yield* checkTree
    })
  )
})

layer(People.layer)("putting a page into one that it contains", (it) => {
  const family = Effect.fnUntraced(function* (name: string) {
    const { odin } = yield* Cast
    const a = yield* published(odin, `${name} A`)
    const b = yield* published(odin, `${name} B`, { parent: a.id })
    const c = yield* published(odin, `${name} C`, { parent: b.id })
    return { odin, a, b, c }
  })

  it.effect("moves its direct child to the top level first", () =>
    Effect.gen(function* () {
      const { a, b, c, odin } = yield* family("Direct")
      const before = yield* topLevel()
      const exchange = Effect.map(addChild(odin, b.id, a.id), ok)
      assert.deepStrictEqual(yield* eventsOf(exchange), ["NodeUpdated direct-b", "NodeUpdated direct-a"])
      assert.deepStrictEqual(yield* topLevel(), [...before.filter((name) => name !== "Direct A"), "Direct B"])
      assert.deepStrictEqual(yield* childrenOf(guest, b.id), ["Direct C", "Direct A"])
      assert.deepStrictEqual(yield* childrenOf(guest, a.id), [])
      // The same by its position, next to a page that is there.
      ok(yield* place(odin, b.id, { parent: a.id }))
      assert.deepStrictEqual(yield* childrenOf(guest, a.id), ["Direct B"])
      ok(yield* place(odin, a.id, { parent: b.id, before: c.id }))
      assert.deepStrictEqual(yield* childrenOf(guest, b.id), ["Direct A", "Direct C"])
      yield* checkTree
    })
  )

  it.effect("is refused if it is deeper, by every way", () =>
    Effect.gen(function* () {
      const { a, c, odin } = yield* family("Deep")
      assertProblem(yield* addChild(odin, c.id, a.id), NodeInItself)
      assertProblem(yield* place(odin, a.id, { parent: c.slug }), NodeInItself)
      assertProblem(yield* odin.patch(`/nodes/${a.id}`, { parent: c.id }), NodeInItself)
      assertProblem(yield* place(odin, a.id, { parent: a.id }), NodeInItself)
      yield* checkTree
    })
  )

  it.effect("is refused where it would be below the last level", () =>
    Effect.gen(function* () {
      const { a, odin } = yield* family("Low")
      let last = (yield* published(odin, "Level 1")).id
      for (let level = 2; level <= 62; level++) {
        last = (yield* published(odin, `Level ${level}`, { parent: last })).id
      }
      assertProblem(yield* addChild(odin, last, a.id), NodeTooDeep, { maximum: 64 })
      assertProblem(yield* place(odin, a.id, { parent: last }), NodeTooDeep, { maximum: 64 })
      // What a page has been given since it was made counts as well.
      const holder = yield* published(odin, "Holder")
      ok(yield* addChild(odin, holder.id, a.id))
      assertProblem(yield* addChild(odin, last, holder.id), NodeTooDeep, { maximum: 64 })
      ok(yield* removeChild(odin, holder.id, a.id))
      // A page that has had levels below it, and has them no more, is moved.
      ok(yield* removeChild(odin, "low-b", "low-c"))
      ok(yield* addChild(odin, last, a.id))
      assertProblem(yield* addChild(odin, "low-b", "low-c"), NodeTooDeep, { maximum: 64 })
      yield* checkTree
    })
  )

  it.effect("is found out by what it moves and where to, however many pages there are", () =>
    Effect.gen(function* () {
      const { a, b, odin } = yield* family("Counted")
      const top = yield* published(odin, "Counted top")
      yield* many(odin, null, 2000)
      const sql = yield* SqlClient.SqlClient
      // Plans that were made for a few pages are made again.
      yield* sql`analyze nodes, node_heights`
      // As after it had contained many levels, so that those that it has are counted.
      yield* sql`update node_heights set height = 64 where node_id = ${a.id}`
      // What a connection has read before may still be counted.
      const read = sql`select relname, seq_tup_read::int as rows from pg_stat_xact_user_tables
        where relname in ('nodes', 'node_heights') order by relname`
      const move = sql`update nodes set parent_id = ${top.id} where id = ${a.id}`
      const [before, , after] = yield* sql.withTransaction(Effect.all([read, move, read]))
      assert.deepStrictEqual(after, before)
      assert.deepStrictEqual(
        yield* sql`select height from node_heights where node_id in (${top.id}, ${a.id}, ${b.id}) order by height`,
        [{ height: 2 }, { height: 4 }, { height: 64 }]
      )
      yield* sql`delete from nodes where slug like 'many-%'`
    })
  )

  it.effect("is refused by the database as well", () =>
    Effect.gen(function* () {
      const { a, b, c } = yield* family("Own")
      const sql = yield* SqlClient.SqlClient
      const refusal = (statement: Effect.Effect<unknown, SqlError.SqlError>) =>
        Effect.map(Effect.flip(statement), ({ reason }) => String(reason.cause))
      for (const [node, parent] of [
        [a.id, c.id],
        [a.id, b.id],
        [b.id, c.id]
      ]) {
        const move = sql`update nodes set parent_id = ${parent} where id = ${node}`
        assert.include(yield* refusal(move), "nodes_circle")
      }
      yield* checkTree
    })
  )
})
