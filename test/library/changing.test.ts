import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { AssetNotFound, AssetUnknown } from "../../src/domain/asset/Asset.ts"
import { NodeDraftExists, NodeNotFound, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import { NodeInItself, NodeNotYours, NodeTooDeep } from "../../src/domain/library/NodeProblems.ts"
import { LinkInvalid } from "../../src/domain/link/Link.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { asset } from "../support/discussion.ts"
import { ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, reinstate, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { applied, childrenOf, draft, eventsOf, page, published } from "./writeSupport.ts"

const change = (by: Person, mark: string, changes: object) => by.patch(`/nodes/${mark}`, changes)

const changed = (by: Person, mark: string, changes: object) => Effect.map(change(by, mark, changes), ok)

const assets = ["asset000000000000000", "asset000000000000001"] as const

layer(People.layer)("changing a page", (it) => {
  it.effect("changes what is named and nothing else", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const id of assets) yield* asset(id)
      const before = yield* page(freya, "Before", {
        content: "<p>text</p>",
        url: "https://a.test/",
        tags: ["a", "b"],
        asset_ids: [assets[0]],
        primary_image_asset_id: assets[0],
        meta: { a: { b: 1 } }
      })
      const { updatedAt: _, ...kept } = before
      const steps: ReadonlyArray<readonly [object, object]> = [
        [{}, {}],
        [{ name: "After" }, { name: "After" }],
        [{ slug: "after" }, { slug: "after" }],
        [{ description: "said" }, { description: "said" }],
        [
          { content: "<p>other</p>", description: "is replaced" },
          { content: "<body><p>other</p></body>", description: "other" }
        ],
        [{ hide_child_tree: true }, { hide_child_tree: true }],
        [{ meta: { c: null } }, { meta: { c: null } }]
      ]
      let expected = kept
      for (const [changes, difference] of steps) {
        const { updatedAt, ...after } = yield* changed(freya, before.id, changes)
        expected = { ...expected, ...difference }
        assert.deepStrictEqual(after, expected)
        assert.isAtLeast(Date.parse(updatedAt), Date.parse(before.updatedAt))
      }
      assert.strictEqual((yield* freya.get("/nodes/before")).status, 404)
      assert.strictEqual(ok(yield* freya.get("/nodes/after")).id, before.id)
    })
  )

  it.effect("replaces tags, adds files, and takes link and picture away with null", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const names = (tags: ReadonlyArray<{ readonly name: string }>) => tags.map(({ name }) => name)
      const { id } = yield* page(freya, "Parts", { tags: ["a", "b"], asset_ids: [assets[0]] })
      assert.deepStrictEqual(names((yield* changed(freya, id, { tags: ["b", "c"] })).tags), ["b", "c"])
      assert.deepStrictEqual(names((yield* changed(freya, id, { tags: [] })).tags), [])
      const both = yield* changed(freya, id, { asset_ids: [assets[1]] })
      assert.deepStrictEqual(both.assets.length, 2)
      assert.deepStrictEqual((yield* changed(freya, id, { asset_ids: [] })).assets, both.assets)
      const linked = yield* changed(freya, id, { url: "https://b.test/", primary_image_asset_id: assets[1] })
      assert.strictEqual(linked.link.url, "https://b.test/")
      assert.strictEqual(linked.primary_image.id, assets[1])
      const bare = yield* changed(freya, id, { url: null, primary_image_asset_id: null })
      assert.notProperty(bare, "link")
      assert.notProperty(bare, "primary_image")
      for (const key of [
        "name",
        "slug",
        "description",
        "content",
        "parent",
        "tags",
        "meta",
        "hide_child_tree",
        "asset_ids",
        "asset_sources",
        "properties"
      ]) {
        assertInvalid(yield* change(freya, id, { [key]: null }), `body ${key}`)
      }
    })
  )

  it.effect("describes it by its content where its description is emptied", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* page(freya, "Emptied", { content: "<h1>Emptied</h1><p>By its content.</p>" })
      for (const description of ["", " \n"]) {
        assert.strictEqual((yield* changed(freya, id, { description: "said" })).description, "said")
        assert.strictEqual((yield* changed(freya, id, { description })).description, "By its content.")
      }
      assert.strictEqual((yield* changed(freya, id, { content: "", description: "said" })).description, "")
      const bare = yield* page(freya, "Bare", { description: "said" })
      assert.strictEqual((yield* changed(freya, bare.id, { description: "" })).description, "")
      // Whoever writes other content at the same time describes it by that.
      const sql = yield* SqlClient.SqlClient
      yield* changed(freya, id, { content: "<p>Before.</p>" })
      const emptying = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update nodes set content = '<body><p>After.</p></body>', description = 'After.' where id = ${id}`
          const emptying = yield* Effect.forkDetach(changed(freya, id, { description: "" }))
          yield* untilWaiting(1)
          return emptying
        })
      )
      assert.strictEqual((yield* Fiber.join(emptying)).description, "After.")
    })
  )

  it.effect("does not change its visibility", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* page(freya, "Still a draft")
      assert.strictEqual(
        (yield* changed(freya, id, { visibility: "published", name: "x" })).visibility,
        "draft"
      )
    })
  )

  it.effect("answers with the validator that the page has then, not to be kept", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* published(odin, "Validated")
      const before = (yield* odin.get(`/nodes/${id}`)).headers.etag ?? ""
      const answer = yield* change(odin, id, { name: "Validated again" })
      assert.strictEqual(answer.headers["cache-control"], "private, no-cache, no-store, must-revalidate")
      assert.notStrictEqual(answer.headers.etag, before)
      const read = yield* odin.get(`/nodes/${id}`, ifNoneMatch(answer.headers.etag ?? ""))
      assert.strictEqual(read.status, 304)
      assert.strictEqual((yield* odin.get(`/nodes/${id}`, ifNoneMatch(before))).status, 200)
    })
  )

  it.effect("is for its owner and the managers, whoever may read it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_LIBRARY")
      const hidden = yield* page(freya, "Of freya", { content: "hers" })
      assertProblem(yield* change(guest, hidden.id, { name: "x" }), Unauthenticated)
      assertProblem(yield* change(guest, "nowhere", { name: "x" }), Unauthenticated)
      assertProblem(yield* change(loki, hidden.id, { name: "x" }), NodeNotYours)
      assertProblem(yield* change(loki, "nowhere", { name: "x" }), NodeNotFound, { node_slug: "nowhere" })
      assert.strictEqual((yield* keeper.get(`/nodes/${hidden.id}`)).status, 404)
      assert.strictEqual((yield* changed(keeper, hidden.id, { name: "By a keeper" })).name, "By a keeper")
      assert.strictEqual((yield* changed(odin, hidden.id, { name: "By odin" })).content, "<body>hers</body>")
      yield* suspend(freya)
      assertProblem(yield* change(freya, hidden.id, { name: "x" }), AccountSuspended)
      yield* reinstate(freya)
      assert.strictEqual(ok(yield* freya.get(`/nodes/${hidden.id}`)).name, "By odin")
    })
  )

  it.effect("refuses slugs that are none or that others have, and things that there are not", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* page(freya, "Mine")
      yield* page(freya, "Taken")
      for (const slug of ["not@a/good'slug]", "", "A"]) {
        assertInvalid(yield* change(freya, id, { slug }), "body slug")
      }
      assertProblem(yield* change(freya, id, { slug: "taken" }), NodeSlugTaken, { slug: "taken" })
      assert.strictEqual((yield* changed(freya, id, { slug: "mine" })).slug, "mine")
      assertProblem(yield* change(freya, id, { parent: "nowhere" }), NodeNotFound, { node_slug: "nowhere" })
      assertProblem(yield* change(freya, id, { asset_ids: [nobody] }), AssetUnknown)
      assertProblem(yield* change(freya, id, { primary_image_asset_id: nobody }), AssetUnknown)
      assertProblem(yield* change(freya, id, { url: "mailto:a@b.test" }), LinkInvalid)
    })
  )

  it.effect("has no link with an empty URL, when it is created and when it is changed", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const url of ["", " "]) {
        assert.notProperty(yield* page(freya, `Without ${url.length}`, { url }), "link")
      }
      const { id } = yield* page(freya, "With", { url: "https://taken.test/" })
      for (const url of ["", " ", null]) {
        assert.strictEqual(
          (yield* changed(freya, id, { url: "https://taken.test/" })).link.url,
          "https://taken.test/"
        )
        assert.strictEqual((yield* changed(freya, id, { name: "Same" })).link.url, "https://taken.test/")
        assert.notProperty(yield* changed(freya, id, { url }), "link")
      }
    })
  )

  it.effect("keeps nothing of what is refused", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const before = yield* page(freya, "Whole")
      const events = yield* eventsOf(
        Effect.gen(function* () {
          const all = { name: "x", tags: ["whole"], asset_ids: [assets[0]], url: "https://whole.test/" }
          assertProblem(yield* change(freya, before.id, { ...all, slug: "taken" }), NodeSlugTaken)
        })
      )
      assert.deepStrictEqual(events, [])
      assert.deepStrictEqual(ok(yield* freya.get(`/nodes/${before.id}`)), before)
    })
  )

  it.effect("tells of it once, and of nothing that is not changed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* published(odin, "Told")
      assert.deepStrictEqual(yield* eventsOf(change(odin, id, { slug: "told-again", tags: ["a"] })), [
        "NodeUpdated told-again"
      ])
      assert.deepStrictEqual(yield* eventsOf(change(odin, id, {})), [])
    })
  )

  it.effect("counts the page for the tags that it has now", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const count = (name: string) =>
        Effect.map(guest.get(`/tags/${name}`), (answer) => ok(answer).item_count as number)
      const { id } = yield* published(odin, "Counted", { tags: ["one", "two"] })
      yield* changed(odin, id, { tags: ["two", "three"] })
      assert.deepStrictEqual([yield* count("one"), yield* count("two"), yield* count("three")], [0, 1, 1])
      ok(yield* odin.patch(`/nodes/${id}/visibility`, { visibility: "draft" }))
      assert.deepStrictEqual([yield* count("two"), yield* count("three")], [0, 0])
      yield* changed(odin, id, { tags: ["two"] })
      assert.deepStrictEqual([yield* count("two"), yield* count("three")], [0, 0])
      ok(yield* odin.patch(`/nodes/${id}/visibility`, { visibility: "published" }))
      assert.deepStrictEqual([yield* count("two"), yield* count("three")], [1, 0])
      ok(yield* odin.delete(`/nodes/${id}`))
      assert.strictEqual(yield* count("two"), 0)
    })
  )
})

layer(People.layer)("a page that has versions", (it) => {
  it.effect("is not changed beside its draft, even to what it is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const before = yield* page(freya, "Drafted", { content: "text", meta: { a: 1 } })
      yield* draft(before.id, freya)
      const versioned = {
        name: before.name,
        slug: before.slug,
        description: before.description,
        content: before.content,
        properties: [],
        meta: before.meta
      }
      for (const [key, value] of Object.entries(versioned)) {
        assertProblem(yield* change(freya, before.id, { [key]: value, tags: ["a"] }), NodeDraftExists, {
          node_id: before.id
        })
      }
      const after = yield* changed(freya, before.id, {
        tags: ["a"],
        asset_ids: [],
        url: "https://a.test/",
        hide_child_tree: true
      })
      assert.strictEqual(after.tags.length, 1)
      ok(yield* freya.patch(`/nodes/${before.id}/visibility`, { visibility: "review" }))
      yield* asset(assets[1])
      const file = `/nodes/${before.id}/assets/${assets[1]}`
      assert.lengthOf(ok(yield* freya.put(file)).assets, 1)
      const pictured = yield* changed(freya, before.id, { primary_image_asset_id: assets[1] })
      assert.strictEqual(pictured.primary_image.id, assets[1])
      assert.lengthOf(ok(yield* freya.delete(file)).assets, 0)
      ok(yield* freya.patch(`/nodes/${before.id}/position`, { parent: null }))
    })
  )

  it.effect("is no longer the applied version once it is changed directly", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* published(odin, "Applied parent")
      yield* asset(assets[0])
      const { id } = yield* published(odin, "Applied")
      yield* applied(id, odin)
      const kept = [
        odin.patch(`/nodes/${id}`, { tags: ["a"] }),
        odin.patch(`/nodes/${id}`, { asset_ids: [assets[0]], url: "https://a.test/" }),
        odin.patch(`/nodes/${id}`, { primary_image_asset_id: assets[0], hide_child_tree: true }),
        odin.patch(`/nodes/${id}`, { parent: parent.id }),
        odin.patch(`/nodes/${id}/position`, { parent: null }),
        odin.patch(`/nodes/${id}/visibility`, { visibility: "review" }),
        odin.delete(`/nodes/${id}/assets/${assets[0]}`),
        odin.put(`/nodes/${id}/assets/${assets[0]}`)
      ]
      for (const one of kept) {
        ok(yield* one)
        assert.property(ok(yield* odin.get(`/nodes/${id}`)), "current_version_id")
      }
      const sql = yield* SqlClient.SqlClient
      const versioned = [
        { name: "Applied" },
        { slug: "applied" },
        { description: "" },
        { content: "" },
        { properties: [] },
        { meta: {} }
      ]
      for (const changes of versioned) {
        yield* sql`update nodes set current_version_id = ${`u${id.slice(1)}`} where id = ${id}`
        const after = yield* changed(odin, id, changes)
        assert.notProperty(after, "current_version_id", JSON.stringify(changes))
      }
    })
  )
})

layer(People.layer)("a change of the parent of a page", (it) => {
  it.effect("puts it after the pages there, whatever their visibilities", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const shelf = yield* published(odin, "Shelf")
      yield* published(odin, "First", { parent: shelf.id })
      const moved = yield* published(odin, "Moved")
      const after = yield* changed(odin, moved.id, { parent: "shelf", name: "Moved and named" })
      assert.strictEqual(after.parent.id, shelf.id)
      assert.deepStrictEqual(yield* childrenOf(guest, shelf.id), ["First", "Moved and named"])
      // Its place stays if it is there already.
      ok(
        yield* odin.patch(`/nodes/${moved.id}/position`, {
          before: shelf.children[0]?.id ?? (yield* first(shelf.id))
        })
      )
      yield* changed(odin, moved.id, { parent: shelf.id })
      assert.deepStrictEqual(yield* childrenOf(guest, shelf.id), ["Moved and named", "First"])
      const hidden = yield* page(freya, "Unlisted", { visibility: "unlisted" })
      assert.strictEqual((yield* changed(freya, hidden.id, { parent: shelf.id })).parent.id, shelf.id)
    })
  )

  it.effect("does not put it into itself, or into what it contains, or below the last level", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const a = yield* published(odin, "A")
      const b = yield* published(odin, "B", { parent: a.id })
      const c = yield* published(odin, "C", { parent: b.id })
      for (const parent of [a.id, a.slug, `${a.id}-x`, b.id, c.slug]) {
        assertProblem(yield* change(odin, a.id, { parent }), NodeInItself)
      }
      let last = (yield* published(odin, "Deep 1")).id
      for (let level = 2; level <= 62; level++) {
        last = (yield* published(odin, `Deep ${level}`, { parent: last })).id
      }
      assertProblem(yield* change(odin, a.id, { parent: last }), NodeTooDeep, { maximum: 64 })
      assert.strictEqual((yield* changed(odin, b.id, { parent: last })).parent.id, last)
    })
  )
})

const first = (id: string) =>
  Effect.map(guest.get(`/nodes/${id}/children`), (answer) => ok(answer).nodes[0].id as string)

layer(People.layer)("the files of a page", (it) => {
  it.effect("are added and taken away, as often as asked", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      for (const id of assets) yield* asset(id)
      const { id } = yield* page(freya, "With files")
      const path = `/nodes/${id}/assets/${assets[0]}`
      const idsOf = (answer: { readonly assets: ReadonlyArray<{ readonly id: string }> }) =>
        answer.assets.map((one) => one.id)
      const calls = Effect.gen(function* () {
        for (let times = 0; times < 2; times++) {
          assert.deepStrictEqual(idsOf(ok(yield* freya.put(path))), [assets[0]])
        }
        for (let times = 0; times < 2; times++) {
          assert.deepStrictEqual(idsOf(ok(yield* freya.delete(path))), [])
        }
      })
      assert.deepStrictEqual(yield* eventsOf(calls), ["NodeUpdated with-files", "NodeUpdated with-files"])
      for (const send of [freya.put, freya.delete]) {
        assertProblem(yield* send(`/nodes/${id}/assets/${nobody}`), AssetNotFound, { asset: nobody })
        assertProblem(yield* send(`/nodes/${id}/assets/none`), AssetNotFound, { asset: "none" })
        assertProblem(yield* send(`/nodes/nowhere/assets/${assets[0]}`), NodeNotFound)
      }
      for (const send of [loki.put, loki.delete]) assertProblem(yield* send(path), NodeNotYours)
      for (const send of [guest.put, guest.delete]) assertProblem(yield* send(path), Unauthenticated)
    })
  )
})
