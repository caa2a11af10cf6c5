import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { notificationsMax } from "../../src/domain/notification/NotificationStore.ts"
import { budget } from "../../src/domain/thread/PageBudget.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person, query, signUp } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"

/** Replies of Loki in a new thread of Freya's, who is notified of each; oldest first. */
const replies = Effect.fnUntraced(function* (count: number, body = "opening") {
  const { freya, loki } = yield* Cast
  yield* SqlClient.SqlClient.use((sql) => sql`delete from notifications`)
  const thread = yield* open(freya, "Pages", { body })
  const written = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    // Several at the same instant: what orders them then is their id.
    Effect.andThen(
      index % 7 === 0 ? TestClock.adjust("1 second") : Effect.void,
      reply(loki, thread.id, `reply ${index}`)
    )
  )
  yield* drainEvents
  return { thread, replies: written }
})

const pageOf = (person: Person, page: number | string, more: Readonly<Record<string, string>> = {}) =>
  Effect.map(person.get(`/notifications${query({ page: String(page), ...more })}`), ok)

const envelopeOf = ({ notifications: _, ...envelope }: { readonly notifications: unknown }) => envelope

layer(People.layer)("pages of notifications", (it) => {
  it.effect("have 50 each, newest first, and leave out what may not be read", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const { replies: written } = yield* replies(123)
      const size = { page_size: 50, total_pages: 3 }
      const pages = yield* Effect.forEach([1, 2, 3], (page) => pageOf(freya, page))
      assert.deepStrictEqual(pages.map(envelopeOf), [
        { ...size, results: 50, current_page: 1, next_page: 2 },
        { ...size, results: 50, current_page: 2, next_page: 3 },
        { ...size, results: 23, current_page: 3 }
      ])
      const all = pages.flatMap(({ notifications }) => notifications)
      assert.strictEqual(new Set(idsOf(all)).size, 123)
      const places = all.map(({ created_at, id }) => `${created_at} ${id}`)
      assert.deepStrictEqual(places, places.toSorted().toReversed())
      assert.deepStrictEqual(
        all.map(({ created_at }) => created_at),
        written.map(({ createdAt }) => createdAt).toReversed()
      )
      for (const page of [0, -1, "x", ""]) {
        assert.deepStrictEqual(yield* pageOf(freya, page), pages[0], String(page))
      }
      for (const page of [4, 99_999_999_999_999]) {
        const past = { ...size, results: 0, current_page: page, notifications: [] }
        assert.deepStrictEqual(yield* pageOf(freya, page), past)
      }

      const [first, second, third] = idsOf(written.toReversed())
      ok(yield* loki.delete(`/posts/${first}`))
      ok(yield* tyr.patch(`/posts/${second}`, { visibility: "review" }))
      ok(yield* tyr.patch(`/posts/${third}`, { visibility: "unlisted" }))
      const left = yield* pageOf(freya, 1)
      assert.deepStrictEqual(idsOf(left.notifications), idsOf(all.slice(3, 53)))
      assert.strictEqual((yield* pageOf(freya, 3)).results, 20)
      assert.strictEqual(ok(yield* freya.get("/accounts")).notifications, 120)
      ok(yield* freya.patch(`/notifications/${all[5].id}`, { status: "read" }))
      const read = yield* pageOf(freya, 1, { status: "read" })
      assert.deepStrictEqual(idsOf(read.notifications), [all[5].id])
      assert.strictEqual(read.total_pages, 1)
      assert.strictEqual((yield* pageOf(freya, 3, { status: "unread" })).results, 19)
    })
  )

  it.effect("shorten the texts of items that do not fit into an answer", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const beginning = "1 < 2 &amp; more. ".replace("<", "&lt;")
      const link = `<a href="https://long.test/">link</a>`
      const { thread } = yield* replies(51, `<p>${beginning}${link}${"text ".repeat(11_900)}</p>`)
      const { body, body_links } = thread
      assert.lengthOf(body_links, 1)
      const { description } = thread
      const excerpt = `<body><p>${description.replace("&", "&amp;").replace("<", "&lt;")}</p></body>`
      const fitting = Math.floor(budget / (body.length + 500))
      assert.isBelow(fitting, 50)
      const expected = (count: number) =>
        Array.from({ length: count }, (_, index) => (index < fitting ? body : excerpt))
      const bodiesOf = (answer: { notifications: ReadonlyArray<{ item: { ref: { body: string } } }> }) =>
        answer.notifications.map(({ item }) => item.ref.body)

      const [first, second] = [yield* pageOf(freya, 1), yield* pageOf(freya, 2)]
      assert.deepStrictEqual(bodiesOf(first), expected(50))
      assert.strictEqual(first.next_page, 2)
      assert.deepStrictEqual(bodiesOf(second), [body])
      const [whole, short] = [first.notifications[0].item.ref, first.notifications[49].item.ref]
      assert.deepStrictEqual(short, { ...whole, body: excerpt, body_links: [] })
      assert.deepStrictEqual(whole.body_links, body_links)
      const changes = idsOf(first.notifications).map((id) => ({ id, status: "read" }))
      const changed = ok(yield* freya.patch("/notifications", { notifications: changes }))
      assert.deepStrictEqual(bodiesOf(changed), expected(50))
    })
  )

  it.effect("shorten the longest texts of posts, however few there are", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { replies: written } = yield* replies(5)
      for (const { id } of written) yield* reply(freya, written[0].root_id, "answer", { reply_to: id })
      yield* drainEvents
      // Longer than any request may be, and read as it is.
      yield* sql`update posts set body = '<body>' || repeat('x', 500000) || '</body>' where author_id = ${freya.id}`
      const { notifications } = yield* pageOf(loki, 1)
      assert.deepStrictEqual(
        notifications.map(({ item }: { item: { ref: { body: string } } }) => item.ref.body.length > 500_000),
        [true, true, true, true, false]
      )
      assert.strictEqual(notifications[4].item.ref.body, "<body><p>answer</p></body>")
    })
  )

  it.effect("are changed 200 notifications at a time", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { notifications } = yield* pageOf(freya, 1)
      const [{ id }] = notifications
      const times = (count: number) => ({
        notifications: Array.from({ length: count }, () => ({ id, status: "read" }))
      })
      assert.deepStrictEqual(idsOf(ok(yield* freya.patch("/notifications", times(200))).notifications), [id])
      assertInvalid(yield* freya.patch("/notifications", times(201)), "body notifications")
    })
  )

  it.effect("are as many as an account's newest notifications", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const rich = yield* signUp("popular")
      const sql = yield* SqlClient.SqlClient
      const give = (account: Person, prefix: string, count: number) => sql`
        insert into notifications (id, created_at, account_id, event, status, cause_id)
        select ${prefix} || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + n * interval '1 second', ${account.id}, 'follow',
          case when n % 2 = 0 then 'read' else 'unread' end, -n from generate_series(1, ${count}::int) n`
      yield* sql`delete from notifications`
      // The planner then knows the table as empty, which must not matter.
      yield* sql`analyze notifications`
      yield* give(rich, "a", notificationsMax - 1)
      yield* give(freya, "b", notificationsMax)
      const oldest = (account: Person) =>
        Effect.map(
          sql<{
            readonly id: string
            readonly count: number
          }>`select min(-cause_id)::text as id, count(*)::int as count
            from notifications where account_id = ${account.id} and cause_id < 0`,
          ([row]) => [row?.id, row?.count]
        )
      const thread = yield* open(rich, "Popular")
      for (const [text, id, count] of [
        ["one", "1", notificationsMax - 1],
        ["two", "2", notificationsMax - 2],
        ["three", "3", notificationsMax - 3]
      ] as const) {
        yield* reply(freya, thread.id, text)
        yield* drainEvents
        assert.deepStrictEqual(yield* oldest(rich), [id, count], text)
      }
      assert.deepStrictEqual(yield* oldest(freya), ["1", notificationsMax])
      const last = yield* pageOf(rich, notificationsMax / 50)
      assert.deepStrictEqual(
        [last.results, last.total_pages, last.next_page],
        [50, notificationsMax / 50, undefined]
      )
    })
  )
})
