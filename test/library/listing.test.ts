/** `GET /nodes` */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { listedMax } from "../../src/domain/library/LibraryLimits.ts"
import { CursorMismatch } from "../../src/domain/shared/ListPlace.ts"
import { SearchTookTooLong } from "../../src/domain/text/TextProblem.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { asset } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { page, setChildFields } from "./propertySupport.ts"
import { assertWithout, many, namesOf, outline, readers, shown, visibilities } from "./readSupport.ts"

const published = { visibility: "published" }

type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

const list = (viewer: Person, parameters: Parameters = {}) =>
  Effect.map(viewer.get(`/nodes${query(parameters)}`), ok)

const treeOf = (viewer: Person, parameters: Parameters = {}) =>
  Effect.map(list(viewer, parameters), ({ nodes }) => outline(nodes))

const flatOf = (viewer: Person, parameters: Parameters = {}) =>
  Effect.map(list(viewer, { format: "flat", ...parameters }), ({ nodes }) => namesOf(nodes).join(" "))

const clear = SqlClient.SqlClient.use((sql) => sql`truncate nodes cascade`)

/** A(B(D) C) E, all published. */
const small = Effect.gen(function* () {
  const { odin } = yield* Cast
  yield* clear
  const a = yield* page(odin, "A", published)
  const b = yield* page(odin, "B", { ...published, parent: "a" })
  yield* page(odin, "C", { ...published, parent: "a" })
  yield* page(odin, "D", { ...published, parent: "b" })
  const e = yield* page(odin, "E", published)
  return { a, b, e }
})

/** Asserts that a page lacks these fields, which it names, and has nothing in the others that may be long. */
const assertLacking = (node: Answer["json"], omitted: ReadonlyArray<string>) => {
  assert.deepStrictEqual(node.misc, { omitted })
  for (const field of omitted) assert.notProperty(node, field)
  for (const field of ["assets", "tags", "properties", "child_property_schema"]) {
    if (!omitted.includes(field)) assert.deepStrictEqual(node[field], [])
  }
}

layer(People.layer)("the list of all pages", (it) => {
  it.effect("is a tree, or flat with the page that contains each", () =>
    Effect.gen(function* () {
      const { a, b } = yield* small
      const tree = yield* list(guest)
      assert.strictEqual(outline(tree.nodes), "A(B(D) C) E")
      assert.strictEqual(outline((yield* list(guest, { format: "tree" })).nodes), "A(B(D) C) E")
      const withParents = JSON.stringify(tree).includes('"parent"')
      assert.isFalse(withParents)
      const flat = yield* list(guest, { format: "flat" })
      // By level, then in the order of siblings.
      assert.deepStrictEqual(namesOf(flat.nodes), ["A", "E", "B", "C", "D"])
      const parents = flat.nodes.map(({ parent }: Answer["json"]) => parent?.id)
      assert.deepStrictEqual(parents, [undefined, undefined, a.id, a.id, b.id])
      for (const { children, parent } of flat.nodes) {
        assert.deepStrictEqual(children, [])
        if (parent === undefined) continue
        assertWithout(parent, "parent")
        assert.deepStrictEqual(parent.children, [])
      }
    })
  )

  it.effect("says that it has one page, with as many as it lists at the top", () =>
    Effect.gen(function* () {
      yield* small
      const one = (count: number) => ({ page_size: count, results: count, total_pages: 1, current_page: 1 })
      for (const [parameters, count] of [
        [{}, 2],
        [{ page: "7" }, 2],
        [{ format: "flat" }, 5],
        [{ node_id: nobody }, 0]
      ] as const) {
        const { nodes, ...envelope } = yield* list(guest, parameters)
        assert.deepStrictEqual(envelope, one(count))
        assert.lengthOf(nodes, count)
      }
      const { nodes, ...envelope } = yield* list(guest, { format: "flat", page: "2" })
      assert.deepStrictEqual(nodes, [])
      assert.deepStrictEqual(envelope, { page_size: listedMax, results: 0, total_pages: 1, current_page: 2 })
    })
  )

  it.effect("has the order that siblings are put into, also at the top", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { a, b, e } = yield* small
      ok(yield* odin.patch("/nodes/c/position", { before: b.id }))
      ok(yield* odin.patch(`/nodes/${e.id}/position`, { before: a.id }))
      assert.strictEqual(yield* treeOf(guest), "E A(C B(D))")
      assert.strictEqual(yield* flatOf(guest), "E A C B D")
    })
  )

  it.effect("begins at a page, which shows what contains it, and shows so many levels below", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { a, b } = yield* small
      const from = yield* list(guest, { node_id: b.id })
      assert.strictEqual(outline(from.nodes), "B(D)")
      assert.strictEqual(from.nodes[0].parent.id, a.id)
      assertWithout(from.nodes[0].parent, "parent")
      assertWithout(from.nodes[0].children[0], "parent")
      const flat = yield* list(guest, { node_id: b.id, format: "flat" })
      assert.deepStrictEqual(
        flat.nodes.map(({ parent }: Answer["json"]) => parent.id),
        [a.id, b.id]
      )
      for (const [depth, tree, listed] of [
        ["0", "A E", "A E"],
        ["-1", "A E", "A E"],
        ["-99999999999999999", "A E", "A E"],
        ["1", "A(B C) E", "A E B C"],
        ["+1", "A(B C) E", "A E B C"],
        ["2", "A(B(D) C) E", "A E B C D"],
        ["99999999999999999999", "A(B(D) C) E", "A E B C D"]
      ] as const) {
        assert.strictEqual(yield* treeOf(guest, { depth }), tree, depth)
        assert.strictEqual(yield* flatOf(guest, { depth }), listed, depth)
      }
      assert.strictEqual(yield* treeOf(guest, { depth: "0", node_id: a.id }), "A")
      assert.strictEqual(yield* treeOf(guest, { depth: "1", node_id: a.id }), "A(B C)")
      assert.strictEqual(yield* treeOf(guest, { node_id: nobody }), "")
      // A page that is not listed is no top.
      const draft = yield* page(odin, "Draft", { parent: "a" })
      assert.strictEqual(yield* treeOf(odin, { node_id: draft.id }), "")
      assert.strictEqual(yield* treeOf(odin, { node_id: draft.id, visibility: "draft" }), "Draft")
    })
  )

  it.effect("refuses values that mean nothing", () =>
    Effect.gen(function* () {
      for (const [name, value] of [
        ["node_id", "a-slug"],
        ["node_id", `${nobody}-x`],
        ["depth", ""],
        ["depth", "x"],
        ["depth", "1.5"],
        ["depth", "1e3"],
        ["depth", " 1"],
        ["depth", "9".repeat(21)],
        ["format", "list"],
        ["author", "x".repeat(1021)],
        ["q", "\0"]
      ] as const) {
        assertInvalid(yield* guest.get(`/nodes${query({ [name]: value })}`), `query ${name}`)
      }
      assertInvalid(yield* guest.get("/nodes?visibility=hidden"), "query visibility.0")
      assertInvalid(yield* guest.get("/nodes?visibility=published&visibility=x"), "query visibility.1")
    })
  )

  it.effect("is given up if reading it takes longer than two seconds, and so are sorted children", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { odin } = yield* Cast
      yield* page(odin, "Slow", published)
      yield* page(odin, "Below", { ...published, parent: "slow" })
      ok(yield* setChildFields(odin, "slow", [{ name: "Size", type: "number", sort: "1" }]))
      for (const [path, table] of [
        ["/nodes", "nodes"],
        ["/nodes/slow?children_sort=Size", "property_values"],
        ["/nodes/slow/children?children_sort=Size", "property_values"]
      ] as const) {
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(`lock table ${table} in access exclusive mode`)
            const asked = yield* Effect.forkChild(guest.get(path))
            yield* untilWaiting(1)
            yield* TestClock.adjust("2 seconds")
            assertProblem(yield* Fiber.join(asked), SearchTookTooLong, { maximum_seconds: 2, retry_after: 2 })
            yield* untilWaiting(0)
          })
        )
      }
    })
  )

  it.effect("leaves out what pages contain that hide it, at any level and at the top", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { b } = yield* small
      ok(yield* odin.patch("/nodes/b", { hide_child_tree: true }))
      yield* page(odin, "F", { ...published, parent: "d" })
      for (const [parameters, tree, flat] of [
        [{}, "A(B C) E", "A E B C"],
        [{ node_id: b.id }, "B", "B"]
      ] as const) {
        assert.strictEqual(yield* treeOf(guest, parameters), tree)
        assert.strictEqual(yield* flatOf(guest, parameters), flat)
      }
      const below = ok(yield* guest.get("/nodes/d"))
      assert.strictEqual(yield* treeOf(guest, { node_id: below.id }), "D(F)")
    })
  )

  it.effect("has published pages, or of the visibilities asked for those that the viewer may see", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* clear
      for (const visibility of visibilities) yield* shown(freya, visibility, visibility)
      for (const [viewer, sees] of [
        ...(yield* readers(freya, loki)),
        [odin, ["review", "published"]] as const
      ]) {
        assert.strictEqual(yield* treeOf(viewer), "published")
        assert.strictEqual(yield* flatOf(viewer), "published")
        for (const asked of [...visibilities.map((one) => [one]), ["draft", "review"], [...visibilities]]) {
          const expected = asked.filter((one) => sees.some((seen) => seen === one))
          const listed = yield* list(viewer, { visibility: asked })
          assert.deepStrictEqual(namesOf(listed.nodes), expected)
          assert.strictEqual(yield* flatOf(viewer, { visibility: asked }), expected.join(" "))
        }
      }
    })
  )

  it.effect("as a tree leaves out what is within a page that is left out", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* clear
      yield* page(odin, "Top", published)
      yield* shown(freya, "Draft", "draft", { parent: "top" })
      yield* page(odin, "Within", { ...published, parent: "draft" })
      yield* shown(freya, "Alone", "draft")
      assert.strictEqual(yield* treeOf(freya), "Top")
      assert.strictEqual(yield* treeOf(freya, { visibility: "draft" }), "Alone")
      assert.strictEqual(
        yield* treeOf(freya, { visibility: ["draft", "published"] }),
        "Top(Draft(Within)) Alone"
      )
      assert.strictEqual(yield* flatOf(freya, { visibility: "draft" }), "Alone Draft")
      // Whoever may not see what contains it sees the page without.
      const { nodes } = yield* list(guest, { format: "flat" })
      assert.deepStrictEqual(namesOf(nodes), ["Top", "Within"])
      assertWithout(nodes[1], "parent")
      const own = yield* list(freya, { format: "flat" })
      assert.strictEqual(own.nodes[1].parent.name, "Draft")
      assert.strictEqual(yield* treeOf(odin, { visibility: ["draft", "published"] }), "Top")
    })
  )

  it.effect("has the pages of one owner", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* clear
      yield* page(odin, "Theirs", published)
      yield* shown(freya, "Below", "published", { parent: "theirs" })
      yield* shown(freya, "Mine", "published")
      yield* page(odin, "In mine", { ...published, parent: "mine" })
      yield* shown(freya, "Own draft", "draft")
      assert.strictEqual(yield* treeOf(guest, { author: "freya" }), "Mine")
      assert.strictEqual(yield* flatOf(guest, { author: "freya" }), "Mine Below")
      assert.strictEqual(yield* treeOf(guest, { author: freya.id }), "Mine")
      assert.strictEqual(yield* treeOf(guest, { author: "FREYA" }), "Mine")
      assert.strictEqual(yield* flatOf(odin, { author: "odin" }), "Theirs In mine")
      assert.strictEqual(yield* treeOf(guest, { author: "nobody-of-this-name" }), "")
      assert.strictEqual(yield* flatOf(guest, { author: "freya", visibility: "draft" }), "")
      assert.strictEqual(yield* flatOf(freya, { author: "freya", visibility: "draft" }), "Own draft")
    })
  )

  it.effect("has the pages whose names contain a text", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* clear
      yield* page(odin, "Grüße 100%", published)
      yield* page(odin, "Below grusse_1", { ...published, parent: "grüße-100" })
      yield* page(odin, "Content", { ...published, content: "<p>gruss</p>" })
      for (const [q, flat, tree] of [
        ["GRUSSE", "Grüße 100% Below grusse_1", "Grüße 100%(Below grusse_1)"],
        ["grüße", "Grüße 100% Below grusse_1", "Grüße 100%(Below grusse_1)"],
        ["0%", "Grüße 100%", "Grüße 100%"],
        ["%", "Grüße 100%", "Grüße 100%"],
        ["e_1", "Below grusse_1", ""],
        ["\\", "", ""],
        [" ", "Grüße 100% Content Below grusse_1", "Grüße 100%(Below grusse_1) Content"]
      ] as const) {
        assert.strictEqual(yield* flatOf(guest, { q }), flat, q)
        assert.strictEqual(yield* treeOf(guest, { q }), tree, q)
      }
      ok(yield* odin.patch("/nodes/content", { name: "Renamed" }))
      assert.strictEqual(yield* flatOf(guest, { q: "content" }), "")
      assert.strictEqual(yield* flatOf(guest, { q: "renamed" }), "Renamed")
    })
  )

  it.effect("shows everything that there is of each page", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* clear
      yield* asset("as000000000000000010")
      yield* page(odin, "Top", published)
      yield* page(odin, "Full", {
        ...published,
        parent: "top",
        content: "<p>“Text”</p>",
        tags: ["tag"],
        url: "https://example.org/",
        asset_ids: ["as000000000000000010"],
        primary_image_asset_id: "as000000000000000010",
        meta: { a: { b: ["\u2028"] } }
      })
      yield* page(odin, "Low", { ...published, parent: "full" })
      yield* setChildFields(odin, "top", [{ name: "Of full", type: "text", sort: "1" }])
      yield* setChildFields(odin, "full", [{ name: "Of low", type: "number", sort: "1" }])
      const { children: _, parent: __, ...read } = ok(yield* guest.get("/nodes/full"))
      const [top] = (yield* list(guest)).nodes
      const { children, ...full } = top.children[0]
      assert.deepStrictEqual(full, read)
      assert.lengthOf(children, 1)
      const { children: ___, parent, ...flat } = (yield* list(guest, { format: "flat" })).nodes[1]
      assert.deepStrictEqual(flat, read)
      assert.strictEqual(parent.name, "Top")
    })
  )

  it.effect("shows pages without what has no room, and says what they lack", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* clear
      yield* many(odin, null, 40, { content: `<body>${"x".repeat(100_000)}</body>` })
      const answer = yield* guest.get("/nodes")
      const { nodes } = ok(answer)
      assert.isBelow(answer.text.length, 2.2 * 1024 * 1024)
      assert.lengthOf(nodes, 40)
      assert.deepStrictEqual(
        nodes.map(({ content }: { content?: string }) => content !== undefined),
        Array.from({ length: 40 }, (_, index) => index < 20)
      )
      for (const { description } of nodes) assert.match(description, /^About/)
      assertLacking(nodes[39], ["content"])
      // What contains pages of a flat list is brief, so that it may contain many.
      const top = yield* page(odin, "Heavy", {
        ...published,
        content: "x".repeat(50_000),
        tags: ["t"],
        meta: { a: 1 },
        properties: [{ name: "Field", type: "text", value: "x" }]
      })
      yield* many(odin, top.id, 100)
      const flat = yield* list(guest, { format: "flat", node_id: top.id })
      assert.lengthOf(flat.nodes, 101)
      assert.isDefined(flat.nodes[0].content)
      assert.lengthOf(flat.nodes[0].properties, 1)
      assertLacking(flat.nodes[1].parent, ["meta", "tags", "properties", "content"])
      assert.strictEqual(flat.nodes[1].parent.description, flat.nodes[0].description)
    })
  )

  it.effect("has ten thousand pages at most, and goes on if it is flat", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* clear
      const top = yield* page(odin, "Top", published)
      yield* many(odin, top.id, listedMax)
      // The plan of one who knows that nearly all nodes are children of one, as after a while.
      yield* SqlClient.SqlClient.use((sql) => sql`analyze nodes`)
      const tree = yield* list(guest)
      assert.strictEqual(tree.total_pages, 2)
      assert.notProperty(tree, "next_page")
      assert.strictEqual(tree.results, 1)
      assert.lengthOf(tree.nodes[0].children, listedMax - 1)
      const second = yield* list(guest, { format: "flat", page: "2" })
      assert.deepInclude(second, { page_size: listedMax, results: 1, total_pages: 2, current_page: 2 })
      assert.notProperty(second, "next_page")
      const names = new Set(namesOf([...tree.nodes, ...tree.nodes[0].children, ...second.nodes]))
      assert.strictEqual(names.size, listedMax + 1)
      assert.deepStrictEqual((yield* list(guest, { format: "flat", page: "3" })).nodes, [])
      assert.strictEqual(second.nodes[0].parent.id, top.id)
      // A walk shows the same, whatever goes meanwhile.
      assert.notProperty(tree, "next_cursor")
      const ids = new Set<string>()
      for (const [n, parameters] of [{ format: "flat" }, { format: "flat", node_id: top.id }].entries()) {
        const first = yield* list(guest, parameters)
        const elsewhere = query({ ...parameters, q: "n", cursor: first.next_cursor })
        assertProblem(yield* guest.get(`/nodes${elsewhere}`), CursorMismatch)
        yield* SqlClient.SqlClient.use(
          (sql) => sql`delete from nodes where id = ${first.nodes.at(-1).id} or id = ${first.nodes[1].id}`
        )
        for (const name of [`one ${n}`, `two ${n}`])
          yield* page(odin, name, { ...published, parent: top.slug })
        const rest = yield* list(guest, { ...parameters, cursor: first.next_cursor })
        assert.deepInclude(rest, { page_size: listedMax, current_page: 2, total_pages: 2 })
        assert.notProperty(rest, "next_cursor")
        for (const { id } of [...first.nodes, ...rest.nodes]) ids.add(id)
        assert.strictEqual(ids.size, first.results + rest.results)
        ids.clear()
      }
    })
  )
})
