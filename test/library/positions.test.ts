/** Moving pages among their siblings. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeNotYours, NodePlacementInvalid } from "../../src/domain/library/NodeProblems.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import {
  addChild,
  checkTree,
  childrenOf,
  eventsOf,
  page,
  place,
  published,
  topLevel
} from "./writeSupport.ts"

/** A published page with these published children; answers their ids by their names. */
const shelf = Effect.fnUntraced(function* (by: Person, name: string, children: ReadonlyArray<string>) {
  const { id } = yield* published(by, name)
  const made: Record<string, string> = {}
  for (const child of children) made[child] = (yield* published(by, child, { parent: id })).id
  return { id: id as string, ids: (child: string) => made[child] ?? assert.fail(child) }
})

layer(People.layer)("the position of a page", (it) => {
  it.effect("is next to the sibling that is named, in every list", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id, ids } = yield* shelf(odin, "Shelf", ["A", "B", "C", "D"])
      const tag = yield* etagOf(guest, `/nodes/${id}`)
      const steps: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
        ["D", { before: ids("A") }, ["D", "A", "B", "C"]],
        ["D", { after: ids("C") }, ["A", "B", "C", "D"]],
        ["A", { after: ids("B") }, ["B", "A", "C", "D"]],
        ["C", { before: ids("A") }, ["B", "C", "A", "D"]],
        ["B", { before: ids("C") }, ["B", "C", "A", "D"]],
        ["C", { after: ids("B") }, ["B", "C", "A", "D"]],
        ["B", { after: ids("D"), parent: id }, ["C", "A", "D", "B"]],
        ["A", {}, ["C", "A", "D", "B"]],
        ["A", { parent: id }, ["C", "A", "D", "B"]]
      ]
      for (const [name, position, expected] of steps) {
        const answer = yield* place(odin, ids(name), position)
        assert.strictEqual(ok(answer).id, ids(name))
        assert.strictEqual(answer.headers["cache-control"], "private, no-cache, no-store, must-revalidate")
        assert.deepStrictEqual(yield* childrenOf(guest, id), [...expected])
      }
      assert.strictEqual((yield* guest.get(`/nodes/${id}`, ifNoneMatch(tag))).status, 200)
      yield* checkTree
    })
  )

  it.effect("is a change of the page, later than the one before", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id, ids } = yield* shelf(odin, "Timed", ["Tx", "Ty"])
      const positions = [{ after: ids("Ty") }, { before: ids("Ty") }, { parent: null }, { parent: id }]
      let last = 0
      for (const position of positions) {
        const { updatedAt } = ok(yield* place(odin, ids("Tx"), position))
        assert.isAbove(Date.parse(updatedAt), last)
        last = Date.parse(updatedAt)
      }
    })
  )

  it.effect("may be in another page, or at the top level", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const one = yield* shelf(odin, "One", ["Ea", "Eb"])
      const other = yield* shelf(odin, "Other", ["Oa", "Ob"])
      ok(yield* place(odin, one.ids("Ea"), { parent: "other", before: other.ids("Ob") }))
      assert.deepStrictEqual(yield* childrenOf(guest, other.id), ["Oa", "Ea", "Ob"])
      assert.deepStrictEqual(yield* childrenOf(guest, one.id), ["Eb"])
      ok(yield* place(odin, one.ids("Eb"), { parent: `${other.id}-x` }))
      assert.deepStrictEqual(yield* childrenOf(guest, other.id), ["Oa", "Ea", "Ob", "Eb"])
      const top = ok(yield* place(odin, one.ids("Ea"), { parent: null, after: one.id }))
      assert.notProperty(top, "parent")
      const names = yield* topLevel()
      assert.strictEqual(names[names.indexOf("One") + 1], "Ea")
      ok(yield* place(odin, one.ids("Eb"), { parent: null }))
      assert.deepStrictEqual((yield* topLevel()).at(-1), "Eb")
      ok(yield* place(odin, one.ids("Eb"), { before: one.id }))
      const again = yield* topLevel()
      assert.deepStrictEqual(again.slice(again.indexOf("Eb"), again.indexOf("Eb") + 2), ["Eb", "One"])
      yield* checkTree
    })
  )

  it.effect("is next to a page that is there and another one, and to one page only", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const one = yield* shelf(odin, "Here", ["Ha", "Hb"])
      const other = yield* shelf(odin, "There", ["Ta"])
      const [ha, hb, ta] = [one.ids("Ha"), one.ids("Hb"), other.ids("Ta")]
      const refused: ReadonlyArray<readonly [object, "both" | "itself" | "sibling"]> = [
        [{ before: hb, after: hb }, "both"],
        [{ before: hb, after: ta, parent: other.id }, "both"],
        [{ before: ha }, "itself"],
        [{ after: ha }, "itself"],
        [{ before: ta }, "sibling"],
        [{ after: hb, parent: other.id }, "sibling"],
        [{ after: one.id }, "sibling"],
        [{ before: hb, parent: null }, "sibling"]
      ]
      for (const [position, rule] of refused) {
        assertProblem(yield* place(odin, ha, position), NodePlacementInvalid, { rule })
      }
      for (const key of ["before", "after"]) {
        assertInvalid(yield* place(odin, ha, { [key]: "hb" }), `body ${key}`)
        assertProblem(yield* place(odin, ha, { [key]: nobody }), NodeNotFound, { node_slug: nobody })
      }
      assertProblem(yield* place(odin, ha, { parent: "nowhere" }), NodeNotFound, { node_slug: "nowhere" })
      assertProblem(yield* place(odin, "nowhere", {}), NodeNotFound, { node_slug: "nowhere" })
      assert.deepStrictEqual(yield* childrenOf(guest, one.id), ["Ha", "Hb"])
    })
  )

  it.effect("is changed by its owner and by managers", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* page(freya, "Of freya")
      assertProblem(yield* place(guest, id, {}), Unauthenticated)
      assertProblem(yield* place(loki, id, {}), NodeNotYours)
      ok(yield* place(freya, id, { parent: null }))
      // A page that the caller may not see is no place, as it is none for a new child.
      const secret = yield* page(loki, "Secret of loki", { visibility: "unlisted" })
      for (const mark of [secret.id, secret.slug]) {
        const metadata = { node_slug: mark }
        assertProblem(yield* place(freya, id, { parent: mark }), NodeNotFound, metadata)
        assertProblem(yield* addChild(freya, mark, id), NodeNotFound, metadata)
      }
    })
  )

  it.effect("is told of when it has changed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { ids } = yield* shelf(odin, "Told", ["Told A", "Told B"])
      const forward = place(odin, ids("Told A"), { after: ids("Told B") })
      assert.deepStrictEqual(yield* eventsOf(forward), ["NodeUpdated told-a"])
      assert.deepStrictEqual(yield* eventsOf(place(odin, ids("Told A"), {})), [])
    })
  )

  it.effect("has room in the same gap, however often it is used", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id, ids } = yield* shelf(odin, "Narrow", ["Na", "Nb", "Nc", "Nd"])
      const longest = sql<{ readonly n: number }>`
        select max(octet_length(position)) as n from nodes where parent_id = ${id}`
      // As after about a thousand moves.
      const low = `U${"0".repeat(198)}2`
      yield* sql`update nodes set position = ${low} where id = ${ids("Na")}`
      yield* sql`update nodes set position = ${`${low.slice(0, -1)}3`} where id = ${ids("Nb")}`
      assert.deepStrictEqual(yield* childrenOf(guest, id), ["Na", "Nb", "Nc", "Nd"])
      ok(yield* place(odin, ids("Nd"), { after: ids("Na") }))
      assert.deepStrictEqual(yield* childrenOf(guest, id), ["Na", "Nd", "Nb", "Nc"])
      assert.isAtMost((yield* longest)[0]?.n ?? 0, 6)
      // At the end of the group, where a page is added, as well.
      yield* sql`update nodes set position = ${"z".repeat(200)} where id = ${ids("Nc")}`
      yield* published(odin, "Ne", { parent: id })
      assert.deepStrictEqual(yield* childrenOf(guest, id), ["Na", "Nd", "Nb", "Nc", "Ne"])
      assert.isAtMost((yield* longest)[0]?.n ?? 0, 6)
      // And where the children of another page arrive.
      yield* sql`update nodes set position = ${"z".repeat(200)} where id = ${ids("Nc")}`
      yield* sql`update nodes set position = ${`${"z".repeat(199)}zU`} where parent_id = ${id} and name = 'Ne'`
      const other = yield* shelf(odin, "Left", ["La", "Lb"])
      ok(yield* odin.delete(`/nodes/${other.id}?target_node=${id}`))
      assert.deepStrictEqual(yield* childrenOf(guest, id), ["Na", "Nd", "Nb", "Nc", "Ne", "La", "Lb"])
      assert.isAtMost((yield* longest)[0]?.n ?? 0, 6)
      yield* checkTree
    })
  )
})
