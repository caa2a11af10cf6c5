/** What an answer says of the time is what later answers say, however much time passes while it is made. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Answer } from "../support/answers.ts"
import { fieldsOf } from "../support/calendar.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const app = TestApp.layerWhere({}, TestApp.storesAfter(TestClock.adjust("1 millis")))

const names = ["createdAt", "updatedAt", "created_at", "updated_at", "issued_at", "timestamp", "joined"]

const instantsOf = (resource: Answer["json"]): object =>
  Object.fromEntries(names.flatMap((name) => (name in resource ? [[name, resource[name]]] : [])))

/** Creates something, and finds it again at an address or as one of the elements of a list. */
const assertKept = Effect.fnUntraced(function* (
  by: Person,
  [path, body]: readonly [string, object],
  pathOf: (id: string) => string,
  list?: string
) {
  const created = yield* by.post(path, body)
  assert.isBelow(created.status, 300, created.text)
  yield* drainEvents
  const read = yield* by.get(pathOf(created.json.id))
  assert.strictEqual(read.status, 200, read.text)
  const found =
    list === undefined
      ? read.json
      : read.json[list].find(({ id }: { readonly id: string }) => id === created.json.id)
  assert.isNotEmpty(instantsOf(created.json), path)
  assert.deepStrictEqual(instantsOf(found), instantsOf(created.json), path)
  return created.json
})

layer(People.withCast(app))("the instants of an answer", (it) => {
  it.effect("are those that are read later", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Place")
      const thread = yield* open(freya, "Thread")
      const purge = { action: "purge_account", account_id: loki.id, include: ["likes"] }
      const report = { target_id: thread.id, target_kind: "thread" }
      const named = { name: "Named", description: "", colour: "", permissions: [] }

      yield* assertKept(odin, ["/threads", { title: "New" }], (id) => `/threads/${id}`)
      yield* assertKept(odin, ["/categories", named], () => "/categories", "categories")
      yield* assertKept(odin, ["/roles", named], (id) => `/roles/${id}`)
      yield* assertKept(odin, ["/collections", named], (id) => `/collections/${id}`)
      yield* assertKept(odin, ["/events", fieldsOf(place.id)], (id) => `/events/${id}`)
      yield* assertKept(odin, ["/invitations", {}], (id) => `/invitations/${id}`)
      yield* assertKept(odin, ["/accounts", { handle: "made" }], (id) => `/accounts/${id}`)
      yield* assertKept(odin, ["/auth/access-keys", named], () => "/auth/access-keys", "keys")
      yield* assertKept(odin, ["/reports", report], () => "/reports", "reports")
      yield* assertKept(odin, ["/links", { url: "https://a.test", title: "A" }], () => "/links", "links")
      const { id: page } = yield* assertKept(odin, ["/nodes", named], (id) => `/nodes/${id}`)
      const versions = `/nodes/${page}/versions`
      yield* assertKept(odin, [versions, {}], (id) => `${versions}/${id}`)
      const warnings = `/accounts/${loki.id}/warnings`
      yield* assertKept(odin, [warnings, { reason: "Spam" }], () => warnings, "warnings")
      const notes = `/accounts/${loki.id}/moderation-notes`
      yield* assertKept(odin, [notes, { content: "Spam" }], () => notes, "notes")
      yield* assertKept(odin, ["/admin/actions", purge], (id) => `/admin/audit-events/${id}`)
    })
  )
})
