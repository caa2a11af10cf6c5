/** The list of the children of a page: who sees which, pages, filters. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { childrenShown } from "../../src/domain/library/LibraryLimits.ts"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeQueries } from "../../src/domain/library/NodeQueries.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, query, signUp, withCast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { childrenOf, manager, page } from "./propertySupport.ts"

const visibilities = ["draft", "unlisted", "review", "published"] as const

layer(People.layer)("the children of a page", (it) => {
  it.effect("are those that the caller may see, sorted or not, found or not", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const [keeper, stranger] = [yield* manager, yield* signUp("stranger")]
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "Place", { visibility: "published" })
      for (const [name, owner] of [
        ["odin", odin],
        ["freya", freya]
      ] as const) {
        for (const visibility of visibilities) {
          const value = [{ name: "Rank", type: "number", value: "1" }]
          const slug = `${name}-${visibility}`
          yield* page(owner, "Seen", { slug, parent: "place", tags: ["seen"], properties: value })
          yield* sql`update nodes set visibility = ${visibility} where slug = ${slug}`
        }
      }
      const all = (name: string) => visibilities.map((visibility) => `${name}-${visibility}`)
      const seen: ReadonlyArray<readonly [Person, ReadonlyArray<string>]> = [
        [guest, ["odin-published", "freya-published"]],
        [stranger, ["odin-published", "freya-published"]],
        [freya, ["odin-published", ...all("freya")]],
        [odin, [...all("odin"), "freya-review", "freya-published"]],
        [keeper, ["odin-review", "odin-published", "freya-review", "freya-published"]]
      ]
      for (const [person, slugs] of seen) {
        assert.deepStrictEqual(yield* childrenOf(person, "place"), slugs)
        const sorted = slugs.toSorted()
        for (const search of [
          "children_sort=name",
          "children_sort=-Rank",
          "q=e",
          "tags=seen",
          "q=s&tags=seen&children_sort=-name"
        ]) {
          const { nodes, results, total_pages } = ok(yield* person.get(`/nodes/place/children?${search}`))
          assert.deepStrictEqual(nodes.map((node: Answer["json"]) => node.slug).sort(), sorted)
          assert.deepStrictEqual([results, total_pages], [slugs.length, 1])
        }
      }
    })
  )

  it.effect("are not found where the page is missing or hidden", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const hidden = yield* page(freya, "Hidden")
      for (const mark of ["nowhere", nobody]) {
        assertProblem(yield* guest.get(`/nodes/${mark}/children`), NodeNotFound, { node_slug: mark })
      }
      for (const person of [guest, loki, odin]) {
        assertProblem(yield* person.get("/nodes/hidden/children"), NodeNotFound, { node_slug: "hidden" })
      }
      for (const mark of ["hidden", hidden.id, `${hidden.id}-whatever`]) {
        assert.deepStrictEqual(ok(yield* freya.get(`/nodes/${mark}/children`)), {
          page_size: childrenShown,
          results: 0,
          total_pages: 0,
          current_page: 1,
          nodes: []
        })
      }
    })
  )

  it.effect("are for readers of the library", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "Readers", { visibility: "published" })
      const before = yield* sql<{ readonly permissions: ReadonlyArray<string> }>`
        select permissions from roles where id = '0000000000000000000g'`
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY')
        where id = '0000000000000000000g'`
      assertProblem(yield* guest.get("/nodes/readers/children"), Forbidden, {
        permission: "READ_PUBLISHED_LIBRARY"
      })
      yield* sql`update roles set permissions = ${before[0]?.permissions ?? []}::text[]
        where id = '0000000000000000000g'`
    })
  )

  it.effect("are shown with what belongs to them, without their own children", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Whole", { visibility: "published" })
      const child = yield* page(odin, "Part", {
        parent: "whole",
        visibility: "published",
        content: "<p>Part of it.</p>",
        tags: ["part"],
        meta: { a: { b: 1 } },
        properties: [{ name: "Rank", type: "number", value: "1" }]
      })
      yield* page(odin, "Part of a part", { parent: "part", visibility: "published" })
      // It is left out of trees only.
      ok(yield* odin.patch("/nodes/whole", { hide_child_tree: true }))
      const { nodes } = ok(yield* guest.get("/nodes/whole/children"))
      const { parent: _, ...shown } = child
      assert.deepStrictEqual(nodes, [{ ...shown, tags: nodes[0].tags }])
      assert.strictEqual(nodes[0].tags[0].name, "part")
      assert.deepStrictEqual(nodes[0].children, [])
    })
  )

  it.effect("take parameters that are as described", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Parameters", { visibility: "published" })
      const list = (parameters: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
        guest.get(`/nodes/parameters/children${query(parameters)}`)
      assertInvalid(yield* list({ q: "x".repeat(256) }), "query q")
      assertInvalid(yield* list({ children_sort: "x".repeat(257) }), "query children_sort")
      assertInvalid(yield* list({ tags: Array.from({ length: 101 }, (_, n) => `t${n}`) }), "query tags")
      for (const parameters of [
        { q: "x".repeat(255) },
        { children_sort: "-".repeat(256) },
        { tags: Array.from({ length: 100 }, (_, n) => `t${n}`) },
        { q: "", tags: [""], children_sort: "", page: "" },
        { page: "99999999999999" }
      ]) {
        ok(yield* list(parameters))
      }
    })
  )
})

layer(People.layer)("pages of children", (it) => {
  const insertMany = Effect.fnUntraced(function* (owner: Person, parent: string, count: number) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, name_form, slug, visibility)
      select 'n' || lpad(n::text, 18, '0') || '0', now(), now(), ${owner.id}, ${parent}, lpad(n::text, 6, '0') || '1',
        'Child ' || n, 'child ' || n, 'child-' || n, case when n % 2 = 0 then 'published' else 'draft' end
      from generate_series(1, ${count}) n`
  })

  it.effect("have a hundred each, all of them once, in any order", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* page(odin, "Many", { visibility: "published" })
      yield* insertMany(freya, id, 250)
      const listed = (person: Person, parameters: Readonly<Record<string, string>>) =>
        Effect.map(person.get(`/nodes/many/children${query(parameters)}`), ok)
      const numbers = (parity: number) =>
        Array.from({ length: 250 }, (_, n) => n + 1)
          .filter((n) => n % 2 === 0 || parity === 1)
          .map((n) => `child-${n}`)
      for (const [person, expected] of [
        [guest, numbers(0)],
        [freya, numbers(1)]
      ] as const) {
        for (const sort of [{}, { children_sort: "nothing" }, { children_sort: "-link" }, { q: "Child" }]) {
          const found: Array<string> = []
          const total = Math.ceil(expected.length / childrenShown)
          for (let page = 1; page <= total; page++) {
            const { nodes, next_cursor, ...envelope } = yield* listed(person, { ...sort, page: String(page) })
            assert.strictEqual(next_cursor !== undefined, page < total)
            const results = Math.min(childrenShown, expected.length - found.length)
            assert.deepStrictEqual(envelope, {
              page_size: childrenShown,
              results,
              total_pages: total,
              current_page: page,
              ...(page < total ? { next_page: page + 1 } : {})
            })
            found.push(...nodes.map((node: Answer["json"]) => node.slug))
          }
          assert.deepStrictEqual(found, expected, JSON.stringify(sort))
        }
      }
      for (const page of ["3", "99999999999999"]) {
        const { nodes, ...envelope } = yield* listed(guest, { page })
        assert.deepStrictEqual(nodes, [])
        assert.deepStrictEqual(envelope, {
          page_size: childrenShown,
          results: 0,
          total_pages: 2,
          current_page: Number(page)
        })
      }
      for (const page of ["0", "-1", "x", "1.5", "999999999999999"]) {
        assert.strictEqual((yield* listed(guest, { page })).current_page, 1)
      }
    })
  )
})

layer(People.layer)("children that are looked for", (it) => {
  it.effect("contain a text in their names, whatever its case and accents", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Words", { visibility: "published" })
      for (const name of ["Straße nach Åbo", "100% sure_thing", "back\\slash", "Бабочки"]) {
        yield* page(odin, name, { parent: "words", visibility: "published", content: "<p>elsewhere</p>" })
      }
      const find = (q: string) =>
        Effect.map(guest.get(`/nodes/words/children${query({ q })}`), (answer) =>
          ok(answer).nodes.map((node: { readonly name: string }) => node.name)
        )
      for (const [q, names] of [
        ["straSSE", ["Straße nach Åbo"]],
        ["abo", ["Straße nach Åbo"]],
        ["nach  å", ["Straße nach Åbo"]],
        ["0% S", ["100% sure_thing"]],
        ["e_t", ["100% sure_thing"]],
        ["%", ["100% sure_thing"]],
        ["_", ["100% sure_thing"]],
        ["\\", ["back\\slash"]],
        ["БАБ", ["Бабочки"]],
        ["elsewhere", []],
        ["words", []]
      ] as const) {
        assert.deepStrictEqual(yield* find(q), names, q)
      }
      assert.lengthOf(yield* find(" "), 4)
      yield* odin.patch("/nodes/back-slash", { name: "Forward" })
      assert.deepStrictEqual(yield* find("forw"), ["Forward"])
      assert.deepStrictEqual(yield* find("back"), [])
    })
  )

  it.effect("have one of the tags, and both are narrowed by a name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Tagged", { visibility: "published" })
      for (const [name, ...tags] of [
        ["One", "red wine"],
        ["Two", "blue"],
        ["Three", "red wine", "blue"],
        ["Four", "green"]
      ]) {
        yield* page(odin, name ?? "", { parent: "tagged", visibility: "published", tags })
      }
      for (const [parameters, slugs] of [
        [{ tags: ["Red Wine"] }, ["one", "three"]],
        [{ tags: ["red-wine", "blue"] }, ["one", "two", "three"]],
        [{ tags: ["blue"], q: "t" }, ["two", "three"]],
        [{ tags: ["blue"], q: "w" }, ["two"]],
        [{ tags: ["unknown"] }, []],
        [{ tags: ["!"] }, []],
        [{ tags: ["unknown", "green"] }, ["four"]],
        [{ tags: ["blue", "red-wine"], children_sort: "-name" }, ["two", "three", "one"]]
      ] as const) {
        assert.deepStrictEqual(yield* childrenOf(guest, "tagged", query(parameters)), slugs)
      }
    })
  )
})

/** Finds children as they were before they were hidden and moved: all, and another page. */
const outdated = TestApp.storesBut(NodeQueries, (usual) => ({
  ...usual,
  childPage: (asked) =>
    Effect.gen(function* () {
      const found = yield* usual.childPage({ ...asked, visible: { others: visibilities, own: visibilities } })
      return { ...found, ids: [...found.ids, asked.parent] }
    })
}))

layer(withCast(TestApp.layerWhere({}, outdated)))("children that change while they are listed", (it) => {
  it.effect("are shown only to those who may see them by then, and only where they are", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* page(odin, "Busy", { visibility: "published" })
      for (const visibility of visibilities) {
        yield* page(odin, `Busy ${visibility}`, { parent: "busy", visibility })
      }
      for (const [viewer, slugs] of [
        [guest, ["busy-published"]],
        [freya, ["busy-published"]],
        [odin, visibilities.map((visibility) => `busy-${visibility}`)]
      ] as const) {
        assert.deepStrictEqual(yield* childrenOf(viewer, "busy", "?children_sort=nothing"), slugs)
        const { children } = ok(yield* viewer.get("/nodes/busy?children_sort=nothing"))
        assert.deepStrictEqual(
          children.map(({ slug }: Answer["json"]) => slug),
          slugs
        )
      }
    })
  )
})
