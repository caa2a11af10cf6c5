/** Lists of large pages: nothing that is there is shown as empty, left out unsaid or shown twice. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { everyPage } from "../support/lists.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query } from "../support/people.ts"
import { page } from "./propertySupport.ts"

const room = 2 * 1024 * 1024

type Shown = Answer["json"]

const parts = [
  "assets",
  "child_property_schema",
  "content",
  "description",
  "link",
  "meta",
  "properties",
  "tags"
] as const

/** Asserts that a page in a list says of each of its parts what the page itself says, or that it lacks it. */
const assertHonest = Effect.fnUntraced(function* (viewer: Person, shown: Shown, mayLack: boolean) {
  const itself = ok(yield* viewer.get(`/nodes/${shown.id}`))
  const omitted: ReadonlyArray<string> = shown.misc.omitted ?? []
  for (const part of parts) {
    if (omitted.includes(part)) {
      assert.notProperty(shown, part)
      assert.isNotEmpty(itself[part], part)
    } else assert.deepStrictEqual(shown[part], itself[part], `${part} of ${shown.name}`)
  }
  if (!mayLack) assert.deepStrictEqual(shown.misc, {})
  return omitted
})

/** A table of large rows between small ones, of which some are drafts. */
const table = Effect.fnUntraced(function* (owner: Person, slug: string, rows: number) {
  const parent = yield* page(owner, slug, { slug, visibility: "published" })
  const made: Array<Shown> = []
  for (let n = 0; n < rows; n++) {
    const isLarge = n % 4 !== 0
    made.push(
      yield* page(owner, `${slug} row ${String(n).padStart(3, "0")}`, {
        parent: parent.id,
        visibility: n % 9 === 8 ? "draft" : "published",
        tags: ["row", `row-${n % 3}`],
        content: "<p>Words</p>",
        meta: isLarge ? { text: "m".repeat(30_000) } : { n },
        properties: [
          { name: "Rank", type: "number", value: String((n * 7) % rows) },
          ...["a", "b", "c"].map((name) => ({ name, type: "text", value: (isLarge ? "v" : "").repeat(9000) }))
        ]
      })
    )
  }
  return { parent, made }
})

layer(People.layer)("the list of large children", (it) => {
  it.effect("has fewer on a page, all of them whole, each once, in any order", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { made, parent } = yield* table(odin, "table", 90)
      const published = idsOf(made.filter(({ visibility }) => visibility === "published"))
      const path = `/nodes/${parent.id}/children`
      for (const [viewer, expected] of [
        [guest, published],
        [odin, idsOf(made)]
      ] as const) {
        const { counts, found } = yield* everyPage(viewer, path, "nodes")
        assert.deepStrictEqual(idsOf(found), expected)
        assert.isAbove(counts.length, 1)
        const rank = ({ properties }: Shown) =>
          Number(properties.find(({ name }: Shown) => name === "Rank").value)
        for (const search of ["children_sort=name", "q=row", "tags=row&children_sort=-name"]) {
          const sorted = idsOf((yield* everyPage(viewer, `${path}?${search}`, "nodes")).found)
          assert.deepStrictEqual(search.includes("-") ? sorted.toReversed() : sorted, expected, search)
        }
        const ranked = (yield* everyPage(viewer, `${path}?children_sort=-Rank`, "nodes")).found
        assert.deepStrictEqual(idsOf(ranked).toSorted(), expected.toSorted())
        const ranks = ranked.map(rank)
        assert.deepStrictEqual(
          ranks,
          ranks.toSorted((a, b) => b - a)
        )
      }
      for (const shown of (yield* everyPage(guest, path, "nodes")).found)
        yield* assertHonest(guest, shown, false)
      assert.deepStrictEqual(ok(yield* guest.get(`${path}?page=99`)).nodes, [])
    })
  )

  it.effect("that a page shows sorted is the same", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { made, parent } = yield* table(odin, "sorted", 60)
      const path = `/nodes/${parent.id}?children_sort=-name`
      const found: Array<string> = []
      for (let n = 1; ; n++) {
        const { children } = ok(yield* odin.get(`${path}&page=${n}`))
        if (children.length === 0) break
        found.push(...idsOf(children))
      }
      assert.deepStrictEqual(found, idsOf(made).toReversed())
    })
  )

  it.effect("begins with those that a page embeds, whole and one at least", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { made, parent } = yield* table(odin, "embedded", 60)
      const answer = yield* odin.get(`/nodes/${parent.id}`)
      assert.isBelow(Buffer.byteLength(answer.text), room + 64 * 1024)
      const { children } = ok(answer)
      assert.isAbove(children.length, 20)
      assert.deepStrictEqual(idsOf(children), idsOf(made).slice(0, children.length))
      for (const child of children) yield* assertHonest(odin, child, false)
      yield* sql`update nodes set content = repeat('x', 3000000) where id = ${parent.id}`
      const long = ok(yield* odin.get(`/nodes/${parent.id}`))
      assert.lengthOf(long.content, 3_000_000)
      assert.deepStrictEqual(idsOf(long.children), idsOf(made).slice(0, 1))
      yield* assertHonest(odin, long.children[0], false)
      // What contains it may lack fields, and names them.
      const above = ok(yield* odin.get(`/nodes/${made[0].id}`)).parent
      assert.sameMembers(above.misc.omitted, ["content", "child_property_schema"])
    })
  )
})

layer(People.layer)("a list of large pages without pages", (it) => {
  it.effect("lacks contents first, then properties, tags and metadata, and says so", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { made, parent } = yield* table(odin, "listed", 40)
      yield* sql`update nodes set content = repeat('x', 60000) where parent_id = ${parent.id}`
      const listed = (format: string) =>
        Effect.map(odin.get(`/nodes${query({ format, node_id: parent.id, visibility: "published" })}`), ok)
      const rowsOf = Effect.fnUntraced(function* (format: string) {
        const { nodes } = yield* listed(format)
        return format === "flat" ? nodes.slice(1) : nodes[0].children
      })
      const published = made.filter(({ visibility }) => visibility === "published")
      // Properties and metadata of some forty pages fit, and some of the contents.
      for (const format of ["tree", "flat"]) {
        const rows = yield* rowsOf(format)
        assert.deepStrictEqual(idsOf(rows), idsOf(published))
        const lacking: Array<ReadonlyArray<string>> = []
        for (const row of rows) lacking.push(yield* assertHonest(odin, row, true))
        assert.isEmpty(lacking[0], format)
        assert.sameMembers([...(lacking.at(-1) ?? [])], ["content"], format)
      }
      // Twice as many do not fit with their properties.
      yield* table(odin, "more", 40)
      const all = Effect.gen(function* () {
        const answer = yield* odin.get("/nodes?format=flat")
        assert.isBelow(Buffer.byteLength(answer.text), room + 256 * 1024)
        return ok(answer).nodes
      })
      const lacking = new Set<string>()
      for (const row of yield* all) {
        for (const part of yield* assertHonest(odin, row, true)) lacking.add(part)
      }
      assert.sameMembers([...lacking], ["content", "properties"])
      // Nor with their metadata, if there is more of it.
      yield* sql`update nodes set meta = jsonb_build_object('text', repeat('m', 60000)) where parent_id is not null`
      const without = new Set<string>()
      for (const row of yield* all) {
        const omitted = yield* assertHonest(odin, row, true)
        for (const part of omitted) without.add(part)
        if (omitted.includes("meta")) assert.includeMembers([...omitted], ["tags", "properties", "content"])
      }
      assert.sameMembers([...without], ["content", "properties", "tags", "meta", "child_property_schema"])
    })
  )
})
