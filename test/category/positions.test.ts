import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import {
  CategoryParentNotFound,
  CategoryPlacementInvalid,
  CategoryTooDeep,
  limits
} from "../../src/domain/category/CategoryTree.ts"
import type { Answer } from "../support/answers.ts"
import { ok } from "../support/answers.ts"
import { category } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const move = (by: Person, slug: string, position: object) =>
  by.patch(`/categories/${slug}/position`, position)

const summary = (list: Answer["json"], parent?: string) =>
  list.categories
    .filter((one: { readonly parent?: string }) => one.parent === parent)
    .map(({ name, sort }: { readonly name: string; readonly sort: number }) => `${name} ${sort}`)

layer(People.layer)("moving a category among its siblings", (it) => {
  it.effect("numbers them anew, answers all categories, and changes the tag of each", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [first, second, third] = [
        yield* category(odin, "First"),
        yield* category(odin, "Second"),
        yield* category(odin, "Third")
      ]
      const slugs = ["first", "second", "third"]
      const tags = yield* Effect.forEach(slugs, (slug) => etagOf(guest, `/categories/${slug}`))
      const moved = ok(yield* move(odin, "third", { before: first.id }))
      assert.deepStrictEqual(summary(moved), ["Third 0", "First 1", "Second 2"])
      assert.deepStrictEqual(ok(yield* guest.get("/categories")), moved)
      for (const [n, slug] of slugs.entries()) {
        const read = yield* guest.get(`/categories/${slug}`, ifNoneMatch(tags[n] ?? ""))
        assert.isAbove(Date.parse(ok(read).updatedAt), Date.parse(ok(read).createdAt), slug)
      }
      const after = ok(yield* move(odin, "third", { after: first.id }))
      assert.deepStrictEqual(summary(after), ["First 0", "Third 1", "Second 2"])
      assert.deepStrictEqual(summary(ok(yield* move(odin, "first", {}))), ["Third 0", "Second 1", "First 2"])
      const fourth = yield* category(odin, "Fourth")
      assert.strictEqual(fourth.sort, 0)
      assert.deepStrictEqual(summary(ok(yield* move(odin, "fourth", { after: second.id }))), [
        "Third 0",
        "Second 1",
        "Fourth 2",
        "First 3"
      ])
      const sql = yield* SqlClient.SqlClient
      const [last] = yield* sql<{ readonly event: unknown }>`
        select event from event_log order by id desc limit 1`
      assert.deepStrictEqual(last?.event, { _tag: "CategoryUpdated", id: fourth.id, slug: "fourth" })
      assert.strictEqual(ok(yield* guest.get("/categories/third")).id, third.id)
    })
  )
})

layer(People.layer)("moving a category into another", (it) => {
  it.effect("numbers both groups anew, and what it contains comes along", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [a, b, c] = [yield* category(odin, "A"), yield* category(odin, "B"), yield* category(odin, "C")]
      const inA = yield* category(odin, "In A", { parent: a.id })
      const inB = yield* category(odin, "In B", { parent: b.id })
      const tagOfC = yield* etagOf(guest, "/categories/c")
      const into = ok(yield* move(odin, "b", { parent: a.id, before: inA.id }))
      assert.deepStrictEqual(summary(into), ["A 0", "C 1"])
      assert.deepStrictEqual(summary(into, a.id), ["B 0", "In A 1"])
      assert.deepStrictEqual(summary(into, b.id), ["In B 0"])
      assert.strictEqual((yield* guest.get("/categories/c", ifNoneMatch(tagOfC))).status, 200)
      const read = ok(yield* guest.get("/categories/a"))
      assert.deepStrictEqual(
        read.children.map(({ slug }: { readonly slug: string }) => slug),
        ["b", "in-a"]
      )
      // Absent, it stays in its parent.
      assert.deepStrictEqual(summary(ok(yield* move(odin, "b", {})), a.id), ["In A 0", "B 1"])
      const out = ok(yield* move(odin, "b", { parent: null, after: a.id }))
      assert.deepStrictEqual(summary(out), ["A 0", "B 1", "C 2"])
      assert.deepStrictEqual(summary(out, a.id), ["In A 0"])
      assert.notProperty(ok(yield* guest.get("/categories/b")), "parent")
      assert.strictEqual(ok(yield* guest.get("/categories/in-b")).parent, b.id)
      assert.strictEqual(c.sort + inB.sort, 0)
    })
  )

  it.effect("is refused where it cannot be, and then nothing changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { categories } = ok(yield* guest.get("/categories"))
      const idOf = (slug: string): string =>
        categories.find((one: { readonly slug: string }) => one.slug === slug).id
      const [a, b, inA, inB] = ["a", "b", "in-a", "in-b"].map(idOf)
      for (const [slug, position, rule] of [
        ["a", { before: b, after: b }, "one-neighbour"],
        ["a", { parent: a }, "parent-is-itself"],
        ["a", { parent: inA }, "parent-is-within"],
        ["a", { before: a }, "neighbour-is-itself"],
        ["a", { after: inB }, "neighbour-elsewhere"],
        ["in-a", { before: b }, "neighbour-elsewhere"],
        ["a", { after: nobody }, "neighbour-elsewhere"]
      ] as const) {
        assertProblem(yield* move(odin, slug, position), CategoryPlacementInvalid, { rule })
      }
      assertProblem(yield* move(odin, "a", { parent: nobody }), CategoryParentNotFound, { parent: nobody })
      assertProblem(yield* move(odin, "nowhere", { parent: a }), CategoryNotFound, {
        category_slug: "nowhere"
      })
      for (const field of ["parent", "before", "after"]) {
        assertInvalid(yield* move(odin, "a", { [field]: "no-id" }), `body ${field}`)
      }
      for (const field of ["before", "after"]) {
        assertInvalid(yield* move(odin, "a", { [field]: null }), `body ${field}`)
      }
      assert.deepStrictEqual(ok(yield* guest.get("/categories")).categories, categories)
    })
  )

  it.effect("goes as deep as there are levels, with what it contains", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      let parent: string | undefined
      for (let level = 1; level <= limits.levels; level++) {
        const more = parent === undefined ? {} : { parent }
        parent = (yield* category(odin, `Level ${level}`, more)).id
      }
      const body = { name: "Too deep", description: "", colour: "", parent }
      const maximum = limits.levels
      assertProblem(yield* odin.post("/categories", body), CategoryTooDeep, { maximum })
      const [single, pair] = [yield* category(odin, "Single"), yield* category(odin, "Pair")]
      yield* category(odin, "Inside", { parent: pair.id })
      const lastButOne = ok(yield* guest.get(`/categories/level-${maximum - 1}`))
      assertProblem(yield* move(odin, "pair", { parent: lastButOne.id }), CategoryTooDeep, { maximum })
      ok(yield* move(odin, "single", { parent: lastButOne.id }))
      assertProblem(yield* move(odin, "single", { parent }), CategoryTooDeep, { maximum })
      assert.strictEqual(ok(yield* guest.get("/categories/single")).parent, lastButOne.id)
      assert.strictEqual(single.sort, 0)
    })
  )
})
