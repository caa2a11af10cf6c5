/** Who is told of what becomes of drafts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { drainEvents, type Person } from "../support/people.ts"
import * as LibraryPeople from "./versionSupport.ts"
import { apply, draft, read, Staff, versionsPath, write } from "./versionSupport.ts"

/** What a person is told since the last look: the event, who did it, and the page that it shows. */
const told = Effect.fnUntraced(function* (person: Person) {
  yield* drainEvents
  const { notifications } = ok(yield* person.get("/notifications"))
  assert.strictEqual(ok(yield* person.get("/accounts")).notifications, notifications.length)
  yield* SqlClient.SqlClient.use((sql) => sql`delete from notifications where account_id = ${person.id}`)
  return notifications.map(
    (one: {
      readonly event: string
      readonly source: { readonly handle: string }
      readonly item: { readonly kind: string; readonly ref: { readonly slug: string } }
    }) => `${one.event} by ${one.source.handle}: ${one.item.kind} ${one.item.ref.slug}`
  )
})

layer(LibraryPeople.layer)("of a draft,", (it) => {
  it.effect("the owner of the page is told, and its author of what becomes of it", () =>
    Effect.gen(function* () {
      const { freya, loki, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Watched")
      const version = yield* draft(freya, page, { slug: "watched-anew" })
      assert.deepStrictEqual(yield* told(odin), ["node_version_created by freya: node watched"])
      ok(yield* freya.patch(versionsPath(page, "/draft"), { name: "Saved" }))
      ok(yield* mimir.patch(versionsPath(page, "/draft"), { name: "Saved by another" }))
      for (const person of [freya, loki, mimir, odin]) assert.deepStrictEqual(yield* told(person), [])
      yield* apply(mimir, page, version)
      assert.deepStrictEqual(yield* told(freya), ["node_version_applied by mimir: node watched-anew"])
      const again = yield* draft(freya, { ...page, slug: page.id })
      yield* told(odin)
      ok(yield* odin.delete(versionsPath({ ...page, slug: page.id }, `/${again.id}`)))
      assert.deepStrictEqual(yield* told(freya), ["node_version_deleted by odin: node watched-anew"])
      for (const person of [loki, mimir, odin]) assert.deepStrictEqual(yield* told(person), [])
    })
  )

  it.effect("nobody is told of their own", () =>
    Effect.gen(function* () {
      const { freya, mimir } = yield* Staff
      const page = ok(yield* freya.post("/nodes", { name: "Own", visibility: "review" }))
      const withdrawn = yield* draft(freya, page)
      ok(yield* freya.delete(versionsPath(page, `/${withdrawn.id}`)))
      const own = ok(yield* mimir.post("/nodes", { name: "Managed" }))
      yield* apply(mimir, own, yield* draft(mimir, own))
      for (const person of [freya, mimir]) assert.deepStrictEqual(yield* told(person), [])
    })
  )

  it.effect("the page is shown as it is by then, and only to those who may read it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Later", { content: "<p>Later.</p>" })
      const version = yield* draft(freya, page)
      yield* apply(odin, page, version)
      ok(yield* odin.patch(`/nodes/${page.id}`, { slug: "much-later" }))
      yield* drainEvents
      const [notification] = ok(yield* freya.get("/notifications")).notifications
      assert.strictEqual(notification.item.kind, "node")
      const { slug, id, name } = yield* read(freya, page)
      assert.deepStrictEqual(
        [notification.item.ref.slug, notification.item.ref.id, notification.item.ref.name],
        [slug, id, name]
      )
      ok(yield* odin.patch(`/nodes/${page.id}/visibility`, { visibility: "unlisted" }))
      assert.deepStrictEqual(yield* told(freya), [])
    })
  )

  it.effect("each event is told once, and one about nothing any more is not told", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      yield* told(odin)
      yield* sql`delete from event_log`
      const page = yield* write(odin, "Once")
      yield* draft(freya, page)
      yield* drainEvents
      const ofPage = sql`select from notifications where account_id = ${odin.id} and item_id = ${page.id}`
      assert.lengthOf(yield* ofPage, 1)
      yield* sql`update event_consumers set txid = '0', event_id = 0 where name = 'version notifications'`
      yield* drainEvents
      assert.lengthOf(yield* ofPage, 1)
      assert.deepStrictEqual(yield* told(odin), ["node_version_created by freya: node once"])
      const gone = yield* write(odin, "Gone")
      yield* draft(freya, gone)
      ok(yield* odin.delete(`/nodes/${gone.id}`))
      assert.deepStrictEqual(yield* told(odin), [])
    })
  )
})
