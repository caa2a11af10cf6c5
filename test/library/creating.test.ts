import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AssetUnknown } from "../../src/domain/asset/Asset.ts"
import { assetsMax, levelsMax } from "../../src/domain/library/LibraryLimits.ts"
import { NodeNotFound, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import { NodeSlugEmpty, NodeTooDeep, TooManyNodeAssets } from "../../src/domain/library/NodeProblems.ts"
import { LinkInvalid } from "../../src/domain/link/Link.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { MarkupTooLong, TooManyLinks } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import { asset } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { childrenOf, eventsOf, page, published, topLevel } from "./writeSupport.ts"

layer(People.layer)("creating a page", (it) => {
  it.effect("makes a draft at the end of the top level, from a name alone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const created = yield* page(freya, "  A first\tpage  ")
      assert.strictEqual(created.name, "A first page")
      assert.strictEqual(created.slug, "a-first-page")
      assert.strictEqual(created.visibility, "draft")
      assert.strictEqual(created.description, "")
      assert.strictEqual(created.owner.handle, "freya")
      assert.strictEqual(created.hide_child_tree, false)
      assert.deepStrictEqual(
        [created.assets, created.tags, created.children, created.properties, created.child_property_schema],
        [[], [], [], [], []]
      )
      assert.deepStrictEqual([created.meta, created.misc], [{}, {}])
      for (const absent of [
        "content",
        "parent",
        "link",
        "primary_image",
        "current_version_id",
        "deletedAt"
      ]) {
        assert.notProperty(created, absent)
      }
      assert.deepStrictEqual(ok(yield* freya.get("/nodes/a-first-page")), created)
      assert.strictEqual((yield* odin.get("/nodes/a-first-page")).status, 404)
    })
  )

  it.effect("keeps everything that it is given", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* asset("asset000000000000000")
      const parent = yield* published(odin, "Parent")
      const created = yield* page(odin, "Full", {
        slug: "full-page",
        content: "<h1>Nodes</h1><p>Rich text content.</p>",
        description: "is replaced",
        url: "https://example.test/a?b#c",
        parent: parent.slug,
        tags: ["Two words", "b"],
        asset_ids: ["asset000000000000000"],
        primary_image_asset_id: "asset000000000000000",
        hide_child_tree: true,
        properties: [{ name: "Weight", type: "number", value: "4" }],
        visibility: "published",
        meta: { nested: { deep: [1, null] } }
      })
      assert.strictEqual(created.slug, "full-page")
      assert.strictEqual(created.content, "<body><h1>Nodes</h1><p>Rich text content.</p></body>")
      assert.strictEqual(created.description, "Rich text content.")
      assert.strictEqual(created.link.url, "https://example.test/a?b")
      assert.strictEqual(created.parent.id, parent.id)
      assert.notProperty(created.parent, "parent")
      assert.deepStrictEqual(
        created.tags.map(({ item_count, name }: { readonly item_count: number; readonly name: string }) => [
          name,
          item_count
        ]),
        [
          ["b", 1],
          ["two-words", 1]
        ]
      )
      assert.deepStrictEqual(
        created.assets.map(({ id }: { readonly id: string }) => id),
        ["asset000000000000000"]
      )
      assert.strictEqual(created.primary_image.id, "asset000000000000000")
      assert.strictEqual(created.hide_child_tree, true)
      assert.strictEqual(created.properties[0].value, "4")
      assert.deepStrictEqual(created.meta, { nested: { deep: [1, null] } })
      assert.deepStrictEqual(ok(yield* odin.get("/nodes/full-page")), created)
    })
  )

  it.effect("puts it after its siblings, whichever way its parent is named", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id, slug } = yield* published(odin, "Shelf")
      yield* published(odin, "First", { parent: slug })
      yield* published(odin, "Second", { parent: id })
      yield* published(odin, "Third", { parent: `${id}-anything` })
      assert.deepStrictEqual(yield* childrenOf(guest, slug), ["First", "Second", "Third"])
      // Any page may be the parent, and no visibility is excluded.
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* page(freya, `By freya ${visibility}`, { parent: slug, visibility })
      }
      assert.deepStrictEqual(yield* childrenOf(freya, slug), [
        "First",
        "Second",
        "Third",
        "By freya draft",
        "By freya unlisted",
        "By freya review"
      ])
      assert.deepStrictEqual((yield* topLevel()).slice(-1), ["Shelf"])
    })
  )

  it.effect("does not show the parent to who may not see it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const secret = yield* page(freya, "Secret", { content: "secret text" })
      const below = { name: "Below a secret", parent: secret.id }
      assertProblem(yield* loki.post("/nodes", below), NodeNotFound, { node_slug: secret.id })
      // Nor later, if it was not secret then.
      ok(yield* freya.patch(`/nodes/${secret.id}/visibility`, { visibility: "published" }))
      const { id } = yield* page(loki, "Below", { parent: secret.id })
      ok(yield* freya.patch(`/nodes/${secret.id}/visibility`, { visibility: "draft" }))
      const child = ok(yield* loki.get(`/nodes/${id}`))
      assert.notProperty(child, "parent")
      assert.notInclude(JSON.stringify(child), "secret text")
    })
  )

  it.effect("tells of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assert.deepStrictEqual(yield* eventsOf(page(freya, "Told draft")), ["NodeCreated told-draft"])
      assert.deepStrictEqual(yield* eventsOf(page(freya, "Told review", { visibility: "review" })), [
        "NodeCreated told-review",
        "NodeSubmittedForReview told-review"
      ])
      assert.deepStrictEqual(yield* eventsOf(published(odin, "Told")), [
        "NodeCreated told",
        "NodePublished told"
      ])
    })
  )

  it.effect("takes an empty slug for none, and letters of any script", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assert.strictEqual((yield* page(freya, "Empty slug", { slug: "" })).slug, "empty-slug")
      const cyrillic = yield* page(freya, "Бабочки")
      assert.strictEqual(cyrillic.slug, "бабочки")
      assert.strictEqual(ok(yield* freya.get(`/nodes/${encodeURIComponent("бабочки")}`)).id, cyrillic.id)
      const long = yield* page(freya, "ﷺ".repeat(255))
      assert.isAtMost(Array.from<string>(long.slug).length, 255)
    })
  )

  it.effect("counts only published pages for their tags", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const hidden = yield* page(odin, "Hidden with tag", { tags: ["counted", "counted", "Counted"] })
      assert.deepStrictEqual(hidden.tags[0].item_count, 0)
      const shown = yield* published(odin, "Shown with tag", { tags: ["counted"] })
      assert.deepStrictEqual(shown.tags[0].item_count, 1)
    })
  )

  it.effect("lets its link be fetched, once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const first = yield* page(freya, "Linked", { url: "https://linked.test/" })
      const second = yield* page(freya, "Linked too", { url: "https://linked.test/#part" })
      assert.strictEqual(first.link.id, second.link.id)
      yield* People.drainEvents
      const rows = yield* sql`select from link_fetches where link_id = ${first.link.id}`
      assert.strictEqual(rows.length, 1)
    })
  )
})

layer(People.layer)("creating a page is refused", (it) => {
  it.effect("to guests, to members without the permission, and to suspended ones", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* guest.post("/nodes", { name: "x" }), Unauthenticated)
      assertProblem(yield* freya.post("/nodes", { name: "x", visibility: "published" }), Forbidden, {
        permission: "MANAGE_LIBRARY"
      })
      const idle = yield* signUp("idle")
      yield* suspend(idle)
      assertProblem(yield* idle.post("/nodes", { name: "x" }), AccountSuspended)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = array_remove(permissions, 'SUBMIT_LIBRARY_NODE') where name = 'Member'`
      assertProblem(yield* freya.post("/nodes", { name: "x" }), Forbidden, {
        permission: "SUBMIT_LIBRARY_NODE"
      })
      // Either permission is enough.
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_LIBRARY")
      yield* published(keeper, "By a keeper")
      yield* sql`update roles set permissions = array_append(permissions, 'SUBMIT_LIBRARY_NODE') where name = 'Member'`
    })
  )

  it.effect("without a name, or with a slug that is none", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertInvalid(yield* freya.post("/nodes", {}), "body name")
      for (const name of ["", "  ", "\u200b", "x".repeat(256)]) {
        assertInvalid(yield* freya.post("/nodes", { name }), "body name")
      }
      for (const slug of ["not@a/good'slug]", "Upper", "-a", "a b", "x".repeat(256)]) {
        assertInvalid(yield* freya.post("/nodes", { name: "x", slug }), "body slug")
      }
      assertProblem(yield* freya.post("/nodes", { name: "!!!" }), NodeSlugEmpty, { name: "!!!" })
      assert.strictEqual((yield* page(freya, "!!!", { slug: "named" })).name, "!!!")
    })
  )

  it.effect("with values of other types, and null", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const wrong = {
        content: 1,
        description: null,
        parent: null,
        tags: "a",
        asset_ids: ["short"],
        hide_child_tree: "true",
        visibility: "public",
        meta: [],
        url: null
      }
      for (const [key, value] of Object.entries(wrong)) {
        const answer = yield* freya.post("/nodes", { name: "x", [key]: value })
        assert.strictEqual(answer.status, 400, `${key}: ${answer.text}`)
      }
    })
  )

  it.effect("under a slug that another page has", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* page(freya, "Taken")
      assertProblem(yield* loki.post("/nodes", { name: "Taken!" }), NodeSlugTaken, { slug: "taken" })
      assertProblem(yield* loki.post("/nodes", { name: "x", slug: "taken" }), NodeSlugTaken, {
        slug: "taken"
      })
    })
  )

  it.effect("in a parent, with a file or with a link that there is not", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* freya.post("/nodes", { name: "x", parent: "nowhere" }), NodeNotFound, {
        node_slug: "nowhere"
      })
      assertProblem(yield* freya.post("/nodes", { name: "x", asset_ids: [nobody] }), AssetUnknown, {
        field: "asset_ids",
        id: nobody
      })
      assertProblem(
        yield* freya.post("/nodes", { name: "x", primary_image_asset_id: nobody }),
        AssetUnknown,
        {
          field: "primary_image_asset_id",
          id: nobody
        }
      )
      assertProblem(yield* freya.post("/nodes", { name: "x", url: "ftp://a.test/" }), LinkInvalid, {
        field: "url",
        url: "ftp://a.test/",
        rule: "scheme"
      })
      assert.strictEqual((yield* freya.get("/nodes/x")).status, 404)
    })
  )

  it.effect("with content beyond what is read", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const links = Array.from({ length: 1001 }, (_, n) => `<a href="https://a.test/${n}">a</a>`).join("")
      assertProblem(yield* freya.post("/nodes", { name: "x", content: links }), TooManyLinks)
      const long = `<p title="${"x".repeat(530_000)}">a</p>`
      assertProblem(yield* freya.post("/nodes", { name: "x", content: long }), MarkupTooLong)
      assertProblem(
        yield* freya.post("/nodes", { name: "x", content: `<b title="b">`.repeat(2000) }),
        MarkupTooComplex
      )
    })
  )

  it.effect("with too many files", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const ids = Array.from({ length: assetsMax + 1 }, (_, n) => `a${String(n).padStart(19, "0")}`)
      for (const id of ids) yield* asset(id)
      assertInvalid(yield* freya.post("/nodes", { name: "x", asset_ids: ids }), "body asset_ids")
      const named = ids.slice(0, assetsMax).toReversed()
      const { assets, id } = yield* page(freya, "Many files", { asset_ids: named })
      assert.deepStrictEqual(
        assets.map((asset: { readonly id: string }) => asset.id),
        named
      )
      assertProblem(yield* freya.put(`/nodes/${id}/assets/${ids[assetsMax]}`), TooManyNodeAssets, {
        maximum: assetsMax
      })
      ok(yield* freya.put(`/nodes/${id}/assets/${ids[0]}`))
      assert.strictEqual(ok(yield* freya.get(`/nodes/${id}`)).assets.length, assetsMax)
    })
  )

  it.effect("below the last level", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      let parent: string | undefined
      for (let level = 1; level <= levelsMax; level++) {
        parent = (yield* published(odin, `Level ${level}`, parent === undefined ? {} : { parent })).id
      }
      assertProblem(yield* odin.post("/nodes", { name: "Too deep", parent }), NodeTooDeep, {
        maximum: levelsMax
      })
    })
  )
})
