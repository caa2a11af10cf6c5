/** Pages of the library under their tags and their links. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { furnish, letPublish, openLibrary, page, referenceOf, show } from "./elsewhere.ts"

const tag = (name: string, who: Person = guest) => Effect.map(who.get(`/tags/${name}`), ok)

const itemsOf = ({ items }: Answer["json"]): ReadonlyArray<string> =>
  items.map(
    (item: { readonly kind: string; readonly ref: { readonly id: string } }) => `${item.kind} ${item.ref.id}`
  )

layer(People.layer)("a tag", (it) => {
  it.effect("shows published threads, then published pages, newest first, and counts both", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const first = yield* page(odin, "First", { tags: ["editors"], content: "<p>x</p>" })
      const thread = yield* open(freya, "Thread", { tags: ["editors"] })
      const second = yield* page(odin, "Second", { tags: ["editors", "tools"] })
      const draft = yield* page(loki, "Draft", { tags: ["editors"], visibility: "draft" })
      const shown = [`thread ${thread.id}`, `node ${second.id}`, `node ${first.id}`]
      for (const who of [guest, loki, odin]) {
        const found = yield* tag("editors", who)
        assert.deepStrictEqual([itemsOf(found), found.item_count], [shown, 3])
      }
      yield* furnish(odin, first)
      const { items } = yield* tag("editors")
      assert.deepStrictEqual(items[2], {
        kind: "node",
        ref: referenceOf(ok(yield* odin.get(`/nodes/${first.id}`)))
      })
      yield* show(loki, draft, "published")
      assert.deepStrictEqual(itemsOf(yield* tag("editors"))[1], `node ${draft.id}`)
      assert.strictEqual((yield* tag("editors")).item_count, 4)
      yield* show(odin, second, "draft")
      ok(yield* odin.patch(`/nodes/${first.id}`, { tags: ["tools"] }))
      ok(yield* loki.delete(`/nodes/${draft.id}`))
      const left = yield* tag("editors")
      assert.deepStrictEqual([itemsOf(left), left.item_count], [[`thread ${thread.id}`], 1])
      const tools = yield* tag("tools", odin)
      assert.deepStrictEqual([itemsOf(tools), tools.item_count], [[`node ${first.id}`], 1])
    })
  )

  it.effect("shows no pages to those who may not read the library, though they count", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const node = yield* page(odin, "Page", { tags: ["guarded"] })
      const thread = yield* open(freya, "Thread", { tags: ["guarded"] })
      yield* openLibrary(false)
      for (const who of [guest, freya]) {
        const found = yield* tag("guarded", who)
        assert.deepStrictEqual([itemsOf(found), found.item_count], [[`thread ${thread.id}`], 2])
      }
      yield* openLibrary(true)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')
        where name in ('Guest', 'Member')`
      assert.deepStrictEqual(itemsOf(yield* tag("guarded")), [`node ${node.id}`])
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}'
        where name in ('Guest', 'Member')`
    })
  )

  it.effect("shows fifty pages within the bytes of a list, whatever is hidden", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const content = `<p>${"words ".repeat(40_000)}</p>`
      const nodes = yield* Effect.forEach(Array.from({ length: 51 }), (_, n) =>
        page(odin, `Many ${n}`, { tags: ["many"], content: n % 5 === 0 ? content : "short" })
      )
      for (let n = 0; n < 5; n++) yield* page(loki, `Hidden ${n}`, { tags: ["many"], visibility: "unlisted" })
      const answer = yield* guest.get("/tags/many")
      assert.isBelow(answer.text.length, 2.5 * 1024 * 1024)
      const { item_count, items } = ok(answer)
      assert.deepStrictEqual([items.length, item_count], [50, 51])
      assert.deepStrictEqual(
        idsOf(items.map(({ ref }: { readonly ref: { readonly id: string } }) => ref)),
        idsOf(nodes).slice(1).toReversed()
      )
      assert.isString(items[0].ref.content)
      assert.isUndefined(items[45].ref.content)
    })
  )
})

layer(People.layer)("a link", (it) => {
  const url = "https://known.test/a"
  const pagesOf = (who: Person) =>
    Effect.map(who.get("/links/known-test-a"), (answer) => idsOf(ok(answer).nodes))

  it.effect("shows the published pages about it to everyone, newest first", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* letPublish(tyr)
      const first = yield* page(odin, "First", { url, content: "<p>x</p>" })
      yield* page(freya, "Review", { url, visibility: "review" })
      const draft = yield* page(freya, "Draft", { url: `${url}#part`, visibility: "draft" })
      const last = yield* page(odin, "Last", { url })
      yield* page(odin, "Other", { url: "https://known.test/" })
      for (const viewer of [loki, freya, tyr, odin]) {
        assert.deepStrictEqual(yield* pagesOf(viewer), [last.id, first.id])
      }
      yield* furnish(odin, first)
      const { nodes } = ok(yield* loki.get("/links/known-test-a"))
      assert.deepStrictEqual(nodes[1], referenceOf(ok(yield* loki.get(`/nodes/${first.id}`))))
      yield* show(freya, draft, "published")
      yield* show(odin, last, "unlisted")
      assert.deepStrictEqual(yield* pagesOf(loki), [draft.id, first.id])
      ok(yield* odin.patch(`/nodes/${first.id}`, { url: null }))
      assert.deepStrictEqual(yield* pagesOf(loki), [draft.id])
      ok(yield* freya.delete(`/nodes/${draft.id}`))
      // Only the page in review and the unlisted one hold it now, and who made them still sees it.
      assert.strictEqual((yield* loki.get("/links/known-test-a")).json.type, "/api/problems/link-not-found")
      for (const maker of [freya, odin]) assert.deepStrictEqual(yield* pagesOf(maker), [])
    })
  )

  it.effect("shows fifty of them, within the bytes of a list", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const content = `<p>${"words ".repeat(40_000)}</p>`
      const nodes = yield* Effect.forEach(Array.from({ length: 52 }), (_, n) =>
        page(odin, `Many ${n}`, { url, content: n % 5 === 0 ? content : "short" })
      )
      const answer = yield* loki.get("/links/known-test-a")
      assert.isBelow(answer.text.length, 2.5 * 1024 * 1024)
      assert.deepStrictEqual(idsOf(ok(answer).nodes), idsOf(nodes).toReversed().slice(0, 50))
    })
  )
})
