/** Notifications that show nodes of the library. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"
import { furnish, letPublish, openLibrary, page, referenceOf, show } from "./elsewhere.ts"

/** Tells an account of a page, as consumers do. */
const tell = Effect.fnUntraced(function* (
  receiver: Person,
  source: Person,
  nodes: ReadonlyArray<Answer["json"]>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into notifications
      (id, created_at, account_id, event, source_id, item_kind, item_id, cause_id)
    select substr(md5(random()::text), 1, 19) || '0', now() + place * interval '1 second', ${receiver.id},
      'node_version_created', ${source.id}, 'node', id, place
    from unnest(${idsOf(nodes)}::text[]) with ordinality t (id, place)`
})

/** The pages that somebody's list shows, and how many unread notifications they are told to have. */
const told = Effect.fnUntraced(function* (person: Person) {
  const { notifications, results } = ok(yield* person.get("/notifications"))
  const { notifications: unread } = ok(yield* person.get("/accounts"))
  assert.strictEqual(notifications.length, results)
  return [notifications.map(({ item }: Answer["json"]) => item?.ref.id), unread]
})

const deleteAll = SqlClient.SqlClient.use((sql) => sql`delete from notifications`)

layer(People.layer)("a notification", (it) => {
  it.effect("shows the page that it is about as it is elsewhere", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const node = yield* page(freya, "Handbook", { visibility: "draft", content: "<p>x</p>", tags: ["t"] })
      yield* furnish(freya, node)
      yield* tell(freya, odin, [node])
      const { notifications } = ok(yield* freya.get("/notifications"))
      const [{ created_at: _, id, source, ...one }] = notifications
      assert.deepStrictEqual(one, {
        event: "node_version_created",
        item: { kind: "node", ref: referenceOf(ok(yield* freya.get(`/nodes/${node.id}`))) },
        status: "unread"
      })
      assert.strictEqual(source.handle, "odin")
      const changed = ok(yield* freya.patch(`/notifications/${id}`, { status: "read" }))
      assert.deepStrictEqual(changed.item, one.item)
      yield* deleteAll
    })
  )

  it.effect("is neither listed nor counted while its receiver may not read the page", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* letPublish(tyr)
      const node = yield* page(freya, "Of Freya", { visibility: "review" })
      const other = yield* page(odin, "Of Odin")
      const seen = { hidden: [[], 0], both: [[other.id, node.id], 2], one: [[other.id], 1] }
      for (const person of [freya, loki, tyr, odin]) yield* tell(person, odin, [node, other])
      for (const person of [freya, tyr, odin]) assert.deepStrictEqual(yield* told(person), seen.both)
      assert.deepStrictEqual(yield* told(loki), seen.one)
      yield* show(freya, node, "draft")
      // Not even managers and administrators read the drafts of others.
      for (const person of [loki, tyr, odin]) assert.deepStrictEqual(yield* told(person), seen.one)
      assert.deepStrictEqual(yield* told(freya), seen.both)
      yield* show(freya, node, "published")
      for (const person of [freya, loki, tyr, odin]) assert.deepStrictEqual(yield* told(person), seen.both)
      yield* openLibrary(false)
      for (const person of [freya, loki, tyr]) assert.deepStrictEqual(yield* told(person), seen.hidden)
      assert.deepStrictEqual(yield* told(odin), seen.both)
      const { notifications } = ok(yield* odin.get("/notifications"))
      yield* openLibrary(true)
      ok(yield* freya.delete(`/nodes/${node.id}`))
      yield* drainEvents
      for (const person of [freya, loki, tyr, odin]) assert.deepStrictEqual(yield* told(person), seen.one)
      const byItself = ok(yield* odin.patch(`/notifications/${notifications[1].id}`, { status: "read" }))
      assert.isUndefined(byItself.item)
      yield* deleteAll
    })
  )

  it.effect("of a long page is whole, and long ones are spread over pages, posts and pages alike", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const content = `<p>${"words ".repeat(66_000)}</p>`
      const nodes = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) =>
        page(odin, `Long ${n}`, { content })
      )
      yield* tell(freya, odin, nodes)
      const thread = yield* open(freya, "Thread", { body: "short" })
      ok(yield* loki.post(`/threads/${thread.id}/replies`, { body: "x" }))
      yield* drainEvents
      const items: Array<Answer["json"]> = []
      let pages = 0
      for (let next: number | undefined = 1; next !== undefined; pages++) {
        const answer: Answer = yield* freya.get(`/notifications?page=${next}`)
        assert.isBelow(answer.text.length, 2.5 * 1024 * 1024)
        const { next_page, notifications } = ok(answer)
        items.push(...notifications.map(({ item }: Answer["json"]) => item))
        assert.isTrue(next_page === undefined || next_page > next)
        next = next_page
      }
      assert.isAbove(pages, 1)
      assert.sameMembers(
        items.map(({ kind }) => kind),
        ["post", ...nodes.map(() => "node")]
      )
      const shown = items.flatMap(({ kind, ref }) => (kind === "node" ? [ref] : []))
      assert.sameMembers(idsOf(shown), idsOf(nodes))
      for (const { content: whole } of shown) assert.isAtLeast(whole.length, content.length)
      yield* deleteAll
    })
  )
})
