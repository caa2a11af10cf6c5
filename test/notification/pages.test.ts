import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import {
  deletedAfter,
  type NewNotification,
  NotificationStore,
  notificationsMax
} from "../../src/domain/notification/NotificationStore.ts"
import { AccountId, NotificationId } from "../../src/domain/shared/Id.ts"
import * as NotificationStoreSql from "../../src/persistence/notification/NotificationStoreSql.ts"
import * as TransactionSql from "../../src/persistence/shared/TransactionSql.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, nobody, type Person, query, signUp } from "../support/people.ts"
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

/** Tells accounts as a consumer does: in a transaction. */
const telling = Effect.gen(function* () {
  const transaction = TransactionSql.make(yield* SqlClient.SqlClient)
  const store = Context.get(yield* Layer.build(Layer.fresh(NotificationStoreSql.layer)), NotificationStore)
  return (notifications: ReadonlyArray<NewNotification>) => transaction(store.insert(notifications))
})

const envelopeOf = ({
  next_cursor: _,
  notifications: __,
  ...envelope
}: {
  readonly next_cursor?: string
  readonly notifications: unknown
}) => envelope

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

  it.effect("have fewer notifications where their items are large, which all are whole", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const link = `<a href="https://long.test/">link</a>`
      const { thread } = yield* replies(51, `<p>${link}${"text ".repeat(11_900)}</p>`)
      ok(yield* freya.put(`/posts/${thread.id}/reacts`, { emoji: "🎉" }))
      const shown: Array<Answer["json"]> = []
      const counts: Array<number> = []
      for (let page: number | undefined = 1; page !== undefined; ) {
        const { next_page, notifications }: Answer["json"] = yield* pageOf(freya, page)
        counts.push(notifications.length)
        shown.push(...notifications)
        page = next_page
      }
      assert.lengthOf(shown, 51)
      assert.lengthOf(new Set(idsOf(shown)), 51)
      for (const { item } of shown) {
        assert.strictEqual(item?.ref.body, thread.body)
        assert.deepStrictEqual(item?.ref.body_links, thread.body_links)
        assert.lengthOf(item?.ref.reacts ?? [], 1)
      }
      // Each takes a little less than a thirtieth of the room: two places of fifty.
      assert.deepStrictEqual(counts, [25, 25, 1])
      const changes = idsOf(shown).map((id) => ({ id, status: "read" }))
      const answer = yield* freya.patch("/notifications", { notifications: changes })
      assert.isBelow(Buffer.byteLength(answer.text), room)
      const changed: ReadonlyArray<Answer["json"]> = ok(answer).notifications
      assert.deepStrictEqual(idsOf(changed), idsOf(shown))
      const fitting = changed.filter(({ item }) => item !== undefined).length
      assert.isAbove(fitting, 20)
      assert.isBelow(fitting, 40)
      for (const [place, { misc, item }] of changed.entries()) {
        assert.deepStrictEqual(misc, place < fitting ? undefined : { omitted: ["item"] })
        if (place < fitting) assert.strictEqual(item?.ref.body, thread.body)
      }
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

  it.effect("have an account's newest notifications; older ones are deleted some at a time", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const rich = yield* signUp("popular")
      const sql = yield* SqlClient.SqlClient
      const give = (account: Person, prefix: string, count: number) => sql`
        insert into notifications (id, created_at, account_id, event, status, cause_id)
        select ${prefix} || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz - (${count}::int - n) * interval '1 second',
          ${account.id}, 'follow',
          case when n % 2 = 0 then 'read' else 'unread' end, -n from generate_series(1, ${count}::int) n`
      yield* sql`delete from notifications`
      yield* sql`delete from notification_receivers`
      // The planner then knows the table as empty, which must not matter.
      yield* sql`analyze notifications`
      yield* give(rich, "a", notificationsMax)
      yield* give(freya, "b", notificationsMax + deletedAfter)
      /** How many there are, and which of those that were given is the oldest. */
      const kept = (account: Person) =>
        Effect.map(
          sql<{ readonly all: number; readonly oldest: number }>`
            select count(*)::int as all, min(-cause_id) filter (where cause_id < 0)::int as oldest
            from notifications where account_id = ${account.id}`,
          ([row]) => [row?.all, row?.oldest]
        )
      yield* TestClock.adjust("1 second")
      const thread = yield* open(rich, "Popular")
      const tell = Effect.fnUntraced(function* (count: number) {
        for (let n = 0; n < count; n++) yield* reply(freya, thread.id, "one more")
        yield* drainEvents
      })
      for (const [count, expected] of [
        [1, [notificationsMax + 1, 1]],
        [deletedAfter - 2, [notificationsMax + deletedAfter - 1, 1]],
        [1, [notificationsMax, deletedAfter + 1]],
        [1, [notificationsMax + 1, deletedAfter + 1]]
      ] as const) {
        yield* tell(count)
        assert.deepStrictEqual(yield* kept(rich), [...expected])
      }
      // However many are told of at once, which are some or all.
      yield* tell(deletedAfter + 10)
      const [all = 0, oldest] = yield* kept(rich)
      assert.isAtLeast(all, notificationsMax)
      assert.isBelow(all, notificationsMax + deletedAfter)
      assert.strictEqual(oldest, notificationsMax + 2 * deletedAfter + 12 - all)
      // Others have what they had.
      assert.deepStrictEqual(yield* kept(freya), [notificationsMax + deletedAfter, 1])
      const pages = Math.ceil(all / 50)
      const last = yield* pageOf(rich, pages)
      assert.deepStrictEqual(
        [last.results, last.total_pages, last.next_page],
        [all - 50 * (pages - 1), pages, undefined]
      )
    })
  )

  it.effect("are bounded, however many transactions tell an account at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const tellAll = yield* telling
      yield* sql`delete from notifications`
      yield* sql`delete from notification_receivers`
      const tell = (n: number) => ({
        id: NotificationId.make(`c${String(n).padStart(18, "0")}0`),
        at: DateTime.makeUnsafe(n * 1000),
        accountId: AccountId.make(n % 3 === 0 ? loki.id : freya.id),
        event: "member_attending_event" as const,
        causeId: BigInt(-n)
      })
      const batches = Array.from({ length: 150 }, (_, batch) =>
        Array.from({ length: 15 }, (_, n) => tell(batch * 15 + n + 1))
      )
      yield* Effect.forEach(batches, tellAll, {
        concurrency: "unbounded",
        discard: true
      })
      const rows = yield* sql<{ readonly account_id: string; readonly all: number }>`
        select account_id, count(*)::int as all from notifications group by account_id`
      const all = new Map(rows.map((row) => [row.account_id, row.all]))
      assert.strictEqual(all.get(loki.id), 750)
      const most = all.get(freya.id) ?? 0
      assert.isAtLeast(most, notificationsMax)
      assert.isBelow(most, notificationsMax + deletedAfter)
    })
  )

  it.effect("have nothing of accounts that there are not", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const tellAll = yield* telling
      yield* sql`delete from notifications`
      const [first, second] = [
        NotificationId.make("d0000000000000000010"),
        NotificationId.make("d0000000000000000020")
      ]
      const one = { at: DateTime.makeUnsafe(0), event: "follow" as const, causeId: -1n }
      yield* tellAll([
        { ...one, id: first, accountId: AccountId.make(nobody) },
        { ...one, id: second, accountId: AccountId.make(freya.id) }
      ])
      assert.deepStrictEqual(yield* sql`select account_id from notifications`, [{ account_id: freya.id }])
    })
  )
})
