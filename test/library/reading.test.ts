/** `GET /nodes/{node_slug}` */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { AccountSuspended, Forbidden } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { asset } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { page, setChildFields, setProperties, valuesOf } from "./propertySupport.ts"
import { assertWithout, many, namesOf, readers, shown, visibilities } from "./readSupport.ts"

const images = ["as000000000000000010", "as000000000000000020"]

layer(People.layer)("a page that is read", (it) => {
  it.effect("shows everything that there is of it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const id of images) yield* asset(id)
      const made = yield* page(odin, "Whole", {
        content: "<h1>Nodes</h1><p>Rich text content.</p>",
        url: "https://example.org/whole",
        tags: ["two", "one"],
        asset_ids: images,
        primary_image_asset_id: images[1],
        visibility: "published",
        meta: { nested: { deep: [1, null] } }
      })
      const read = ok(yield* guest.get("/nodes/whole"))
      assert.strictEqual(read.id, made.id)
      assert.strictEqual(read.name, "Whole")
      assert.strictEqual(read.slug, "whole")
      assert.strictEqual(read.description, "Rich text content.")
      assert.strictEqual(read.content, "<body><h1>Nodes</h1><p>Rich text content.</p></body>")
      assert.strictEqual(read.link.url, "https://example.org/whole")
      assert.deepStrictEqual(namesOf(read.tags), ["one", "two"])
      assert.deepStrictEqual(idsOf(read.assets), images)
      assert.strictEqual(read.primary_image.id, images[1])
      assert.strictEqual(read.owner.id, odin.id)
      assert.isNotEmpty(read.owner.roles)
      assert.strictEqual(read.visibility, "published")
      assert.isFalse(read.hide_child_tree)
      assert.deepStrictEqual(read.meta, { nested: { deep: [1, null] } })
      assert.deepStrictEqual(read.misc, {})
      for (const list of ["children", "properties", "child_property_schema", "recomentations"]) {
        assert.deepStrictEqual(read[list], [])
      }
      assertWithout(read, "parent", "current_version_id", "deletedAt", "relevance_score")
    })
  )

  it.effect("has no content if it was never given any, and always a description", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Empty", { visibility: "published" })
      const read = ok(yield* guest.get("/nodes/empty"))
      assertWithout(read, "content", "link", "primary_image", "parent")
      assert.strictEqual(read.description, "")
      yield* page(odin, "Described", { visibility: "published", description: "By hand" })
      assert.strictEqual(ok(yield* guest.get("/nodes/described")).description, "By hand")
    })
  )

  it.effect("shows the page that contains it without its own, and its children without theirs", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const open = { visibility: "published", content: "<p>Text</p>" }
      yield* page(odin, "Top", open)
      yield* page(odin, "Middle", { ...open, parent: "top", hide_child_tree: true })
      yield* page(odin, "Low", { ...open, parent: "middle" })
      yield* page(odin, "Lowest", { ...open, parent: "low" })
      const read = ok(yield* guest.get("/nodes/middle"))
      assert.strictEqual(read.parent.slug, "top")
      assert.strictEqual(read.parent.content, "<body><p>Text</p></body>")
      assertWithout(read.parent, "parent")
      assert.deepStrictEqual(read.parent.children, [])
      assert.deepStrictEqual(namesOf(read.children), ["Low"])
      const [low] = read.children
      assertWithout(low, "parent")
      assert.deepStrictEqual(low.children, [])
      assert.strictEqual(low.content, "<body><p>Text</p></body>")
      assert.strictEqual(ok(yield* guest.get("/nodes/low")).parent.slug, "middle")
      assertWithout(ok(yield* guest.get("/nodes/low")).parent, "parent")
    })
  )

  it.effect("has a value for each field that it shares with its siblings, and so have its children", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const open = { visibility: "published" }
      yield* page(odin, "Table", open)
      yield* page(odin, "Row 1", { ...open, parent: "table" })
      yield* page(odin, "Row 2", { ...open, parent: "table" })
      const fields = [
        { name: "Last", type: "text", sort: "9" },
        { name: "First", type: "number", sort: "1" }
      ]
      const { properties: schema } = ok(yield* setChildFields(odin, "table", fields))
      ok(
        yield* setProperties(odin, "row-1", [
          { fid: schema[1].fid, name: "Last", value: "z" },
          { fid: schema[0].fid, name: "First", value: "4" }
        ])
      )
      const table = ok(yield* guest.get("/nodes/table"))
      assert.deepStrictEqual(table.child_property_schema, schema)
      assert.deepStrictEqual(table.properties, [])
      assert.deepStrictEqual(
        table.children.map(({ properties }: { properties: [] }) => valuesOf(properties)),
        [
          ["First=4", "Last=z"],
          ["First=", "Last="]
        ]
      )
      const row = ok(yield* guest.get("/nodes/row-2"))
      assert.deepStrictEqual(
        row.properties,
        schema.map((field: object) => ({ ...field, value: "" }))
      )
      assert.deepStrictEqual(row.child_property_schema, [])
    })
  )

  it.effect("is addressed by its slug, its id, and its id with anything", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* page(odin, "Addressed", { visibility: "published" })
      yield* page(odin, "Café", { visibility: "published" })
      for (const form of ["NFC", "NFD"]) {
        assert.strictEqual(
          ok(yield* guest.get(`/nodes/${encodeURIComponent("café".normalize(form))}`)).name,
          "Café"
        )
      }
      for (const mark of [
        "addressed",
        id,
        `${id}-`,
        `${id}-what-ever`,
        `${id}-${encodeURIComponent("é/ ")}`
      ]) {
        assert.strictEqual(ok(yield* guest.get(`/nodes/${mark}`)).id, id, mark)
      }
      const wrong = [
        `${id}x`,
        id.slice(1),
        `x-${id}`,
        "Addressed",
        "address",
        "%00",
        "%",
        nobody,
        "-",
        "a".repeat(300)
      ]
      for (const mark of wrong) {
        const answer = yield* guest.get(`/nodes/${mark}`)
        assert.include([400, 404], answer.status, mark)
      }
      assertProblem(yield* guest.get("/nodes/nowhere"), NodeNotFound, { node_slug: "nowhere" })
    })
  )

  it.effect("is found by its id where another one has that as its slug", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const open = { visibility: "published" }
      const { id } = yield* page(odin, "The one", open)
      const other = yield* page(odin, "The other", { ...open, slug: id })
      const like = yield* page(odin, "Looks like one", { ...open, slug: "0123456789abcdefghij-x" })
      assert.strictEqual(ok(yield* guest.get(`/nodes/${id}`)).id, id)
      assert.strictEqual(ok(yield* guest.get(`/nodes/${other.id}`)).id, other.id)
      assert.strictEqual(ok(yield* guest.get("/nodes/0123456789abcdefghij-x")).id, like.id)
    })
  )

  it.effect("is there for those who may see it, by itself and among the children of another one", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* page(odin, "Shelf", { visibility: "published" })
      for (const visibility of visibilities) {
        yield* shown(freya, `Freya ${visibility}`, visibility, { parent: "shelf" })
      }
      for (const [viewer, sees] of [
        ...(yield* readers(freya, loki)),
        [odin, ["review", "published"]] as const
      ]) {
        for (const visibility of visibilities) {
          const path = `/nodes/freya-${visibility}`
          const answer = yield* viewer.get(path)
          if (sees.some((seen) => seen === visibility)) assert.strictEqual(ok(answer).visibility, visibility)
          else assertProblem(answer, NodeNotFound, { node_slug: `freya-${visibility}` })
        }
        const names = sees.map((visibility) => `Freya ${visibility}`)
        assert.deepStrictEqual(namesOf(ok(yield* viewer.get("/nodes/shelf")).children), names)
        const sorted = ok(yield* viewer.get("/nodes/shelf?children_sort=name")).children
        assert.deepStrictEqual(namesOf(sorted), names.toSorted())
        assert.deepStrictEqual(namesOf(ok(yield* viewer.get("/nodes/shelf/children")).nodes), names)
      }
    })
  )

  it.effect("is shown once to a manager who owns it and awaits a review of it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const keeper = yield* People.signUp("keeper")
      yield* People.grant(keeper, "MANAGE_LIBRARY")
      yield* page(odin, "Desk", { visibility: "published" })
      yield* shown(keeper, "Kept", "review", { parent: "desk" })
      yield* shown(keeper, "Kept draft", "draft", { parent: "desk" })
      assert.deepStrictEqual(namesOf(ok(yield* keeper.get("/nodes/desk")).children), ["Kept", "Kept draft"])
      const { id } = ok(yield* guest.get("/nodes/desk"))
      const query = `node_id=${id}&visibility=published&visibility=review`
      const [desk] = ok(yield* keeper.get(`/nodes?${query}`)).nodes
      assert.deepStrictEqual(namesOf(desk.children), ["Kept"])
    })
  )

  it.effect("does not show the page that contains it to those who may not see that", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      for (const visibility of visibilities) {
        yield* shown(freya, `Cover ${visibility}`, visibility)
        yield* page(odin, `In ${visibility}`, { parent: `cover-${visibility}`, visibility: "published" })
      }
      const staff = yield* People.signUp("curator")
      yield* People.grant(staff, "MANAGE_LIBRARY")
      for (const [viewer, sees] of [
        [guest, ["published"]],
        [loki, ["published"]],
        [freya, [...visibilities]],
        [staff, ["review", "published"]]
      ] as const) {
        for (const visibility of visibilities) {
          const { parent } = ok(yield* viewer.get(`/nodes/in-${visibility}`))
          const isSeen = sees.some((seen) => seen === visibility)
          assert.strictEqual(parent?.slug, isSeen ? `cover-${visibility}` : undefined)
        }
      }
    })
  )

  it.effect("is refused without READ_PUBLISHED_LIBRARY, whether there is such a page or not", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "Closed", { visibility: "published" })
      const restrict = (role: string) => sql`update roles
        set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY') where name = ${role}`
      const restore = (role: string) => sql`update roles
        set permissions = array_append(permissions, 'READ_PUBLISHED_LIBRARY') where name = ${role}`
      const own = yield* page(loki, "Own")
      for (const [viewer, role] of [
        [guest, "Guest"],
        [loki, "Member"]
      ] as const) {
        yield* restrict(role)
        for (const path of [
          "/nodes/closed",
          "/nodes/nowhere",
          `/nodes/${own.id}`,
          "/nodes",
          "/nodes/closed/children"
        ]) {
          assertProblem(yield* viewer.get(path), Forbidden, { permission: "READ_PUBLISHED_LIBRARY" })
        }
        yield* restore(role)
      }
      yield* suspend(loki)
      assertProblem(yield* loki.get("/nodes/closed"), AccountSuspended)
      assertProblem(yield* loki.get("/nodes"), AccountSuspended)
      yield* reinstate(loki)
    })
  )

  it.effect("shows its first hundred children that the viewer sees, or any hundred of the sorted ones", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* page(odin, "Crowd", { visibility: "published" })
      const { id } = ok(yield* guest.get("/nodes/crowd"))
      yield* many(freya, id, 150, { visibility: "draft" })
      yield* many(freya, id, 101)
      const listed = ok(yield* guest.get("/nodes/crowd/children")).nodes
      const [first, mine, all] = yield* Effect.all([
        guest.get("/nodes/crowd"),
        freya.get("/nodes/crowd"),
        loki.get("/nodes/crowd?page=2")
      ])
      assert.lengthOf(ok(first).children, 100)
      assert.deepStrictEqual(namesOf(ok(first).children), namesOf(listed))
      assert.deepStrictEqual(namesOf(ok(all).children), namesOf(listed))
      assert.lengthOf(ok(mine).children, 100)
      assert.strictEqual(ok(mine).children[99].visibility, "draft")
      const sorted = ok(yield* guest.get("/nodes/crowd?children_sort=-name")).children
      const rest = ok(yield* guest.get("/nodes/crowd?children_sort=-name&page=2")).children
      const names = namesOf([...sorted, ...rest])
      assert.lengthOf(sorted, 100)
      assert.lengthOf(rest, 1)
      assert.deepStrictEqual(names, names.toSorted().reverse())
      assert.lengthOf(new Set(names), 101)
      assert.deepStrictEqual(ok(yield* guest.get("/nodes/crowd?children_sort=-name&page=3")).children, [])
      // Without such a field they have their own order.
      const unknown = ok(yield* guest.get("/nodes/crowd?children_sort=nothing")).children
      assert.deepStrictEqual(namesOf(unknown), namesOf(listed))
    })
  )

  it.effect("shows fewer children where they are large, and itself in full", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const text = `<body><p>${"x".repeat(100_000)}</p></body>`
      const { id } = yield* page(odin, "Long", { visibility: "published" })
      yield* many(odin, id, 100, { content: text })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update nodes set content = ${text}, meta = '{"a":1}' where id = ${id}`
      yield* setChildFields(odin, "long", [{ name: "Field", type: "text", sort: "1" }])
      const answer = yield* guest.get("/nodes/long")
      const read = ok(answer)
      assert.isBelow(answer.text.length, 2.5 * 1024 * 1024)
      assert.strictEqual(read.content, text)
      assert.lengthOf(read.child_property_schema, 1)
      assert.lengthOf(read.children, 19)
      for (const child of read.children) {
        assert.match(child.description, /^About/)
        assert.strictEqual(child.content, text)
        assert.lengthOf(child.properties, 1)
        assert.deepStrictEqual(child.misc, {})
      }
      yield* sql`update nodes set content = repeat('x', 3000000) where id = ${id}`
      const long = ok(yield* guest.get("/nodes/long"))
      assert.lengthOf(long.content, 3_000_000)
      assert.deepStrictEqual(long.children, read.children.slice(0, 1))
    })
  )

  it.effect("is gone once it is deleted, and under a slug that it had", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* page(odin, "Passing", { visibility: "published" })
      ok(yield* odin.patch("/nodes/passing", { slug: "passed" }))
      assertProblem(yield* guest.get("/nodes/passing"), NodeNotFound)
      assert.strictEqual(ok(yield* guest.get("/nodes/passed")).id, id)
      ok(yield* odin.delete("/nodes/passed"))
      for (const mark of ["passed", id]) assertProblem(yield* guest.get(`/nodes/${mark}`), NodeNotFound)
    })
  )
})
