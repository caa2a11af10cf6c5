/** Reading changes from a cursor on, as far as the caller may know of them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Metric, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CursorExpired, TooManyStreams } from "../../src/domain/change/ChangeList.ts"
import { beginning, cursorOf, positionOf } from "../../src/domain/change/ChangePosition.ts"
import { changeNames } from "../../src/domain/change/Changes.ts"
import { streamsMax, streamsOpen } from "../../src/domain/change/StreamPlaces.ts"
import { EventRetention } from "../../src/persistence/event/EventRetentionSql.ts"
import { readable, write } from "../event/instances.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { inTime } from "../support/waiting.ts"

type Json = Answer["json"]

/** Where the changes are once all that was committed can be read. */
const latest = Effect.andThen(
  readable,
  Effect.map(guest.get("/changes?after=latest"), (answer): string => ok(answer).next)
)

/** What somebody is told of all that comes after a cursor. */
const toldAfter = Effect.fnUntraced(function* (person: Person, after: string, query = "") {
  yield* readable
  const changes: Array<Json> = []
  for (let next = after; ; ) {
    const answer = ok(yield* person.get(`/changes?after=${next}${query}`))
    changes.push(...answer.changes)
    next = answer.next
    if (!answer.more) return { changes, next }
  }
})

const eventsOf = (changes: ReadonlyArray<Json>) => changes.map(({ event }) => event)

const namesOf = (changes: ReadonlyArray<Json>) => changes.map(({ event }) => event.event)

layer(People.layer)("the changes", (it) => {
  it.effect("are answered oldest first, each with its id, its cursor and its time", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const after = yield* latest
      const thread = yield* open(freya, "Told of")
      const answer = yield* reply(loki, thread.id, "first")
      const { changes, next } = yield* toldAfter(guest, after)
      assert.deepStrictEqual(eventsOf(changes), [
        { event: "EventThreadPublished", id: thread.id },
        {
          event: "EventThreadReplyCreated",
          thread_id: thread.id,
          reply_id: answer.id,
          thread_author_id: freya.id,
          reply_author_id: loki.id
        }
      ])
      for (const { at, cursor, id } of changes) {
        assert.match(id, /^[0-9a-v]{19}[0g]$/)
        assert.isAtMost(cursor.length, 100)
        assert.strictEqual(new Date(at).toISOString(), at)
      }
      assert.strictEqual(changes.at(-1)?.cursor, next)
      const rest = yield* toldAfter(guest, changes[0]?.cursor ?? "")
      assert.deepStrictEqual(rest.changes, changes.slice(1))
      const nothing = ok(yield* guest.get(`/changes?after=${next}`))
      assert.deepStrictEqual(nothing, { changes: [], next, more: false })
    })
  )

  it.effect("begin with the oldest that is kept, and are never cached", () =>
    Effect.gen(function* () {
      yield* readable
      const answer = yield* guest.get("/changes")
      assert.include(answer.headers["cache-control"], "no-store")
      const all = yield* toldAfter(guest, cursorOf(beginning))
      assert.deepStrictEqual(ok(answer).changes, all.changes)
    })
  )

  it.effect("are as many as were asked for, and go on where an answer ended", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const after = yield* latest
      for (const n of [1, 2, 3, 4, 5]) yield* open(freya, `Of several ${n}`)
      yield* readable
      const first = ok(yield* guest.get(`/changes?after=${after}&limit=2`))
      assert.strictEqual(first.changes.length, 2)
      assert.isTrue(first.more)
      assert.strictEqual(first.next, first.changes[1].cursor)
      const last = ok(yield* guest.get(`/changes?after=${first.next}&limit=3`))
      assert.strictEqual(last.changes.length, 3)
      assert.isFalse(last.more)
    })
  )

  it.effect("have the names that were asked for, and `next` passes over all others", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const after = yield* latest
      const { id } = yield* open(freya, "Named")
      yield* reply(loki, id, "named")
      ok(yield* loki.put(`/likes/posts/${id}`))
      const names = "EventPostLiked,EventThreadPublished"
      const { changes, next } = yield* toldAfter(guest, after, `&events=${names}`)
      assert.deepStrictEqual(namesOf(changes), ["EventThreadPublished", "EventPostLiked"])
      const none = yield* toldAfter(guest, after, "&events=EventNodeDeleted")
      assert.deepStrictEqual(none, { changes: [], next })
      const all = yield* toldAfter(guest, after, `&events=${changeNames.join(",")}`)
      assert.deepStrictEqual(namesOf(all.changes), [
        "EventThreadPublished",
        "EventThreadReplyCreated",
        "EventPostLiked"
      ])
    })
  )

  it.effect("are refused by name where the question is none", () =>
    Effect.gen(function* () {
      const cursor = yield* latest
      for (const [query, path] of [
        ["after=nowhere", "after"],
        [`after=${cursor.slice(1)}`, "after"],
        [`after=${cursor}A`, "after"],
        [`after=${cursor.slice(0, -1)}${cursor.endsWith("A") ? "Q" : "A"}`, "after"],
        [`after=${"a".repeat(101)}`, "after"],
        ["events=EventThreadPublished,ThreadDeleted", "events"],
        ["events=,", "events"],
        ["limit=0", "limit"],
        ["limit=501", "limit"],
        ["limit=many", "limit"],
        ["limit=1.5", "limit"],
        ["wait=31", "wait"],
        ["wait=-1", "wait"]
      ] as const) {
        assertInvalid(yield* guest.get(`/changes?${query}`), `query ${path}`)
      }
      for (const query of [
        "limit=1",
        "limit=500",
        "wait=0",
        "events=EventThreadPublished",
        "after=",
        "events="
      ]) {
        ok(yield* guest.get(`/changes?${query}`))
      }
    })
  )

  it.effect("pass over what cannot be read, and over what an older release wrote with too little", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const after = yield* latest
      yield* write(
        { _tag: "ThreadUpdated", id: 7 },
        { _tag: "OfALaterRelease", id: freya.id },
        { _tag: "ThreadUpdated", id: "0".repeat(20) }
      )
      const { id } = yield* open(freya, "Readable")
      for (const person of [guest, odin]) {
        const { changes } = yield* toldAfter(person, after)
        assert.deepStrictEqual(eventsOf(changes), [{ event: "EventThreadPublished", id }])
      }
    })
  )

  it.effect("are read within bounds, whatever is asked for among many others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { freya } = yield* Cast
      const after = yield* latest
      yield* sql`insert into event_log (occurred_at, event)
        select now(), '{"_tag":"ThemeReplaced"}' from generate_series(1, 10001)`
      const { id } = yield* open(freya, "Far away")
      yield* readable
      const first = ok(yield* guest.get(`/changes?after=${after}&limit=1`))
      const again = ok(yield* guest.get(`/changes?after=${after}`))
      for (const answer of [first, again]) {
        assert.deepStrictEqual(eventsOf(answer.changes), [{ event: "EventThreadPublished", id }])
      }
      // Of what the caller may not know, so many are read for one answer.
      yield* sql`insert into event_log (occurred_at, event)
        select now(), '{"_tag":"ThreadUpdated","id":"00000000000000000000"}' from generate_series(1, 600)`
      const { id: last } = yield* open(freya, "After what nobody may know")
      yield* readable
      const none = ok(yield* guest.get(`/changes?after=${first.next}&limit=50`))
      assert.deepStrictEqual(none.changes, [])
      assert.isTrue(none.more)
      const { changes } = yield* toldAfter(guest, none.next, "&limit=50")
      assert.deepStrictEqual(eventsOf(changes), [{ event: "EventThreadPublished", id: last }])
    })
  )
})

layer(People.layer)("a cursor", (it) => {
  it.effect("is passed by no change, also if transactions commit in another order than they began", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const after = yield* latest
      const during = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_current_xact_id()::text`
          const { id } = yield* open(freya, "Committed first")
          const answer = ok(yield* guest.get(`/changes?after=${after}`))
          // What a transaction that still runs may come before is not told yet.
          assert.deepStrictEqual(answer, { changes: [], next: after, more: false })
          yield* sql`insert into event_log (occurred_at, event) values (now(), ${JSON.stringify({
            _tag: "CategoryUpdated",
            id: "0".repeat(20),
            slug: "late"
          })}::text::jsonb)`
          return id
        })
      )
      const id = yield* during
      const { changes } = yield* toldAfter(guest, after)
      assert.deepStrictEqual(eventsOf(changes), [
        { event: "EventCategoryUpdated", id: "0".repeat(20), slug: "late" },
        { event: "EventThreadPublished", id }
      ])
    })
  )

  it.effect(
    "that is older than what is kept is refused with the oldest; without one that is where it begins",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const first = yield* latest
        yield* open(freya, "Forgotten")
        const second = yield* latest
        const { id } = yield* open(freya, "Kept")
        yield* drainEvents
        yield* readable
        const sql = yield* SqlClient.SqlClient
        const border = Option.getOrThrow(positionOf(second)).id
        yield* sql`update event_log set occurred_at = now() - interval '200 days' where id <= ${border}`
        yield* TestClock.setTime(Date.now())
        yield* Effect.flatMap(EventRetention, ({ apply }) => apply)
        const refused = yield* guest.get(`/changes?after=${first}`)
        assertProblem(refused, CursorExpired, { oldest: second })
        for (const after of [second, refused.json.metadata.oldest]) {
          assert.deepStrictEqual(eventsOf((yield* toldAfter(guest, after)).changes), [
            { event: "EventThreadPublished", id }
          ])
        }
        const begins = ok(yield* guest.get("/changes"))
        assert.deepStrictEqual(eventsOf(begins.changes), [{ event: "EventThreadPublished", id }])
      })
  )
})

layer(People.layer)("what somebody is told", (it) => {
  it.effect("is what they might read then and may read now, and that it is gone", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const after = yield* latest
      const thread = yield* open(freya, "Moving", { visibility: "draft" })
      const path = `/threads/${thread.id}`
      ok(yield* freya.patch(path, { title: "Moved" }))
      const drafted = yield* toldAfter(freya, after)
      assert.deepStrictEqual(namesOf(drafted.changes), ["EventThreadUpdated"])
      assert.deepStrictEqual((yield* toldAfter(tyr, after)).changes, drafted.changes)
      for (const person of [guest, loki]) {
        assert.deepStrictEqual((yield* toldAfter(person, after)).changes, [])
      }
      ok(yield* freya.patch(path, { visibility: "published" }))
      for (const person of [guest, loki]) {
        const { changes } = yield* toldAfter(person, after)
        assert.deepStrictEqual(namesOf(changes), ["EventThreadUpdated", "EventThreadPublished"])
      }
      ok(yield* freya.patch(path, { visibility: "unlisted" }))
      for (const person of [guest, loki]) {
        const { changes } = yield* toldAfter(person, after)
        assert.deepStrictEqual(namesOf(changes), ["EventThreadUnpublished"])
      }
      assert.strictEqual((yield* toldAfter(freya, after)).changes.length, 5)
      assert.strictEqual((yield* freya.delete(path)).status, 200)
      assert.deepStrictEqual(namesOf((yield* toldAfter(loki, after)).changes), [
        "EventThreadUpdated",
        "EventThreadPublished",
        "EventThreadUnpublished"
      ])
      assert.strictEqual((yield* toldAfter(freya, after)).changes.length, 6)
    })
  )

  it.effect("is of staff what their operations show", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* People.grant(tyr, "VIEW_ACCOUNTS", "MANAGE_WARNINGS")
      const after = yield* latest
      ok(yield* odin.post(`/accounts/${freya.id}/warnings`, { reason: "Too loud" }))
      ok(yield* odin.post(`/accounts/${freya.id}/moderation-notes`, { content: "Cats" }))
      ok(yield* loki.post("/reports", { target_id: freya.id, target_kind: "profile" }))
      ok(yield* freya.patch("/accounts", { name: "Freyja" }))
      ok(yield* odin.patch("/admin", { title: "Valhalla" }))
      const names = (person: Person) =>
        Effect.map(toldAfter(person, after), ({ changes }) => namesOf(changes))
      assert.deepStrictEqual(yield* names(guest), [])
      assert.deepStrictEqual(yield* names(loki), ["EventReportCreated"])
      assert.deepStrictEqual(yield* names(freya), ["EventAccountWarned", "EventAccountUpdated"])
      assert.deepStrictEqual(yield* names(tyr), ["EventAccountWarned", "EventAccountUpdated"])
      assert.deepStrictEqual(yield* names(odin), [
        "EventAccountWarned",
        "EventModerationNoteCreated",
        "EventReportCreated",
        "EventAccountUpdated",
        "EventSettingsUpdated"
      ])
    })
  )

  it.effect("is nothing while they are suspended", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const after = yield* latest
      yield* open(freya, "Not for the suspended")
      ok(yield* odin.post("/admin/bans/loki"))
      assert.deepStrictEqual((yield* toldAfter(loki, after)).changes, [])
      ok(yield* odin.delete("/admin/bans/loki"))
      assert.isAbove((yield* toldAfter(loki, after)).changes.length, 0)
    })
  )
})

/** An answer that waits, and whether it is there. */
const waiting = (person: Person, path: string) =>
  Effect.forkScoped(person.get(path), { startImmediately: true })

/** Lets the service work and its clock run by less than anything waits for, until something is there. */
const untilThere = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  for (let tries = 0; fiber.pollUnsafe() === undefined; tries++) {
    assert.isBelow(tries, 2_000, "an answer did not come")
    yield* TestClock.adjust("1 millis")
    yield* TestClock.withLive(Effect.sleep("5 millis"))
  }
  return yield* Fiber.join(fiber)
})

const waits = TestClock.withLive(Effect.sleep("300 millis"))

/** Waits until so many have a place among those who follow changes. */
const untilTaken = (places: number) =>
  inTime(
    `not ${places} places were taken`,
    Effect.repeat(Metric.value(streamsOpen), {
      until: ({ value }) => value === places,
      schedule: Schedule.spaced("10 millis")
    })
  )

layer(People.layer)("an answer that waits", (it) => {
  it.effect("comes when there is something that the caller may know of", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const after = yield* latest
      const told = yield* waiting(loki, `/changes?after=${after}&wait=30`)
      yield* waits
      yield* open(freya, "Nobody's business", { visibility: "draft" })
      const hidden = yield* open(freya, "Hidden", { visibility: "draft" })
      ok(yield* freya.patch(`/threads/${hidden.id}`, { title: "Still hidden" }))
      yield* waits
      assert.isUndefined(told.pollUnsafe())
      const { id } = yield* open(freya, "Awaited")
      const { changes, more, next } = ok(yield* untilThere(told))
      assert.deepStrictEqual(eventsOf(changes), [{ event: "EventThreadPublished", id }])
      assert.deepStrictEqual([more, next], [false, changes[0].cursor])
    }).pipe(Effect.scoped)
  )

  it.effect("has nothing when its time is over, and from where to go on", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const after = yield* latest
      const told = yield* waiting(guest, `/changes?after=${after}&wait=5`)
      yield* waits
      const { id } = yield* open(freya, "Hidden from guests", { visibility: "draft" })
      ok(yield* freya.patch(`/threads/${id}`, { title: "Hidden all the same" }))
      yield* waits
      yield* TestClock.adjust("5 seconds")
      const answer = ok(yield* untilThere(told))
      assert.deepStrictEqual(answer.changes, [])
      assert.isFalse(answer.more)
      assert.notStrictEqual(answer.next, after)
    }).pipe(Effect.scoped)
  )

  it.effect("counts among the streams of an account and of a network", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const after = yield* latest
      const path = `/changes?after=${after}&wait=30`
      const mine = yield* Effect.forEach(Array.from({ length: streamsMax.account }), () =>
        waiting(freya, path)
      )
      yield* untilTaken(streamsMax.account)
      assertProblem(yield* freya.get(path), TooManyStreams, {
        retry_after: 5,
        of: "account",
        maximum: streamsMax.account
      })
      const others = yield* Effect.forEach(
        Array.from({ length: streamsMax.network - streamsMax.account }),
        () => waiting(guest, path)
      )
      yield* untilTaken(streamsMax.network)
      const refused = yield* guest.get(path)
      assertProblem(refused, TooManyStreams, { retry_after: 5, of: "network", maximum: streamsMax.network })
      assert.strictEqual(refused.headers["retry-after"], "5")
      ok(yield* guest.get(`/changes?after=${after}`))
      yield* open(freya, "For all who wait")
      for (const told of [...mine, ...others]) {
        assert.strictEqual(ok(yield* untilThere(told)).changes.length, 1)
      }
      const again = yield* waiting(freya, `/changes?after=${yield* latest}&wait=1`)
      yield* waits
      yield* TestClock.adjust("1 second")
      ok(yield* untilThere(again))
    }).pipe(Effect.scoped)
  )

  it.effect("tells nothing to those who lost the right to know meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const after = yield* latest
      const told = yield* waiting(loki, `/changes?after=${after}&wait=30&events=EventThreadPublished`)
      yield* waits
      ok(yield* odin.post("/admin/bans/loki"))
      yield* open(freya, "Not for loki")
      yield* TestClock.adjust("1 second")
      yield* waits
      assert.isUndefined(told.pollUnsafe())
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(ok(yield* untilThere(told)).changes, [])
    }).pipe(Effect.scoped)
  )
})
