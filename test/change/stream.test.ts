/** Streams of changes, as browsers read them. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CursorExpired, TooManyStreams } from "../../src/domain/change/ChangeList.ts"
import { beginning, cursorOf } from "../../src/domain/change/ChangePosition.ts"
import { StreamPlaces, streamsMax } from "../../src/domain/change/StreamPlaces.ts"
import { readable } from "../event/instances.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"
import { begun, changesIn, framesIn, streaming, told, until } from "./streaming.ts"

const eventsOf = (changes: ReadonlyArray<Answer["json"]>) => changes.map(({ event }) => event)

const published = (id: string) => ({ event: "EventThreadPublished", id })

const latest = Effect.andThen(
  readable,
  Effect.map(guest.get("/changes?after=latest"), (answer): string => ok(answer).next)
)

/** A stream of what happens from now on. */
const opened = (...of: Parameters<typeof streaming>) =>
  readable.pipe(Effect.andThen(streaming(...of)), Effect.tap(begun))

/** Time in which whatever is to come has come. */
const aWhile = TestClock.withLive(Effect.sleep("300 millis"))

layer(People.layer)("a stream of changes", (it) => {
  it.effect("begins at once, with what happens from then on, as events with cursors", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* open(freya, "Before")
      const stream = yield* opened(guest)
      assert.strictEqual(stream.status, 200)
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      assert.include(stream.headers["cache-control"], "no-store")
      yield* aWhile
      const { id } = yield* open(freya, "Streamed")
      const answer = yield* reply(loki, id, "streamed")
      const changes = yield* told(stream, 2)
      assert.deepStrictEqual(eventsOf(changes), [
        published(id),
        {
          event: "EventThreadReplyCreated",
          thread_id: id,
          reply_id: answer.id,
          thread_author_id: freya.id,
          reply_author_id: loki.id
        }
      ])
      // The same as the list has.
      yield* readable
      const { changes: listed } = ok(yield* guest.get("/changes"))
      assert.deepStrictEqual(listed.slice(-2), changes)
      assert.strictEqual(framesIn(stream.text())[0], "retry: 3000")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "goes on where its reader was, by the id of the last event or by a parameter, which it goes before",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const after = yield* latest
        const ids = yield* Effect.forEach(["First", "Second", "Third"], (title) =>
          Effect.map(open(freya, title), ({ id }): string => id)
        )
        yield* readable
        const all = yield* streaming(guest, `/changes/stream?after=${after}`)
        const changes = yield* told(all, 3)
        assert.deepStrictEqual(eventsOf(changes), ids.map(published))
        const cursor: string = changes[1].cursor
        for (const stream of [
          yield* streaming(guest, "/changes/stream", { "last-event-id": cursor }),
          yield* streaming(guest, `/changes/stream?after=${after}`, { "last-event-id": cursor }),
          yield* streaming(guest, `/changes/stream?after=${cursor}`)
        ]) {
          assert.deepStrictEqual(yield* told(stream, 1), [changes[2]])
        }
        const { id } = yield* open(freya, "Fourth")
        const four = yield* told(all, 4)
        assert.deepStrictEqual(eventsOf(four).at(-1), published(id))
      }).pipe(Effect.scoped)
  )

  it.effect("tells what its reader may know of, by the names that they want", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const [byGuest, byFreya, byOdin, likes] = [
        yield* opened(guest),
        yield* opened(freya),
        yield* opened(odin),
        yield* opened(loki, "/changes/stream?events=EventPostLiked")
      ]
      yield* aWhile
      const { id } = yield* open(freya, "Hidden", { visibility: "draft" })
      ok(yield* freya.patch(`/threads/${id}`, { title: "Still hidden" }))
      ok(yield* freya.patch(`/threads/${id}`, { visibility: "published" }))
      ok(yield* loki.put(`/likes/posts/${id}`))
      const names = (changes: ReadonlyArray<Answer["json"]>) => changes.map(({ event }) => event.event)
      for (const one of [byFreya, byOdin]) {
        assert.deepStrictEqual(names(yield* told(one, 4)), [
          "EventThreadUpdated",
          "EventThreadUpdated",
          "EventThreadPublished",
          "EventPostLiked"
        ])
      }
      assert.deepStrictEqual(names(yield* told(likes, 1)), ["EventPostLiked"])
      // What the thread was before is not told to those who could not read it then.
      const seen = names(yield* told(byGuest, 3))
      assert.deepStrictEqual(seen, ["EventThreadUpdated", "EventThreadPublished", "EventPostLiked"])
    }).pipe(Effect.scoped)
  )

  it.effect("says something every fifteen seconds, if nothing else", () =>
    Effect.gen(function* () {
      const stream = yield* opened(guest)
      const from = yield* Clock.currentTimeMillis
      const comments = () => stream.text().split(":\n\n").length - 1
      // In small steps: the service ends streams of which nobody says for seconds who reads them.
      yield* until("there were no comments", () => comments() === 3, 100)
      assert.isAtLeast((yield* Clock.currentTimeMillis) - from, 45_000)
      assert.strictEqual(stream.text(), `retry: 3000\n\n${":\n\n".repeat(3)}`)
    }).pipe(Effect.scoped)
  )

  it.effect("is refused before it begins", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assertInvalid(yield* guest.get("/changes/stream?after=nowhere"), "query after")
      assertInvalid(yield* guest.get("/changes/stream?events=Nothing"), "query events")
      const bad = yield* People.call("GET", "/api/changes/stream", { headers: { "last-event-id": "no" } })
      assertInvalid(bad, "header last-event-id")
      yield* sql`update event_log_kept set generation = 1`
      const expired = yield* guest.get(`/changes/stream?after=${cursorOf(beginning)}`)
      assert.strictEqual(expired.status, CursorExpired.problemType.status)
    }).pipe(Effect.scoped)
  )

  it.effect("is one of ten of an account and fifty of a network, until it ends", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      const few = Effect.gen(function* () {
        for (const _ of Array.from({ length: streamsMax.account })) yield* begun(yield* streaming(sif))
        assertProblem(yield* sif.get("/changes/stream"), TooManyStreams, {
          retry_after: 5,
          of: "account",
          maximum: 10
        })
        for (const _ of Array.from({ length: streamsMax.network - streamsMax.account })) {
          yield* begun(yield* streaming(guest))
        }
        const refused = yield* guest.get("/changes/stream")
        assertProblem(refused, TooManyStreams, { retry_after: 5, of: "network", maximum: 50 })
        assert.strictEqual(refused.headers["retry-after"], "5")
      })
      yield* Effect.scoped(few)
      const again = Effect.repeat(streaming(sif), { until: ({ status }) => status === 200 })
      yield* begun(yield* inTime("a place remained taken", again))
    }).pipe(Effect.scoped)
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a stream", (it) => {
  it.effect("tells what another instance commits, and goes on there without a gap", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = Effect.provideService(HttpClient.HttpClient, elsewhere)
      const [here, other] = [yield* opened(guest), yield* there(opened(guest))]
      yield* aWhile
      const first = yield* open(freya, "Here")
      const second = yield* there(open(freya, "There"))
      const expected = [published(first.id), published(second.id)]
      for (const one of [here, other]) assert.deepStrictEqual(eventsOf(yield* told(one, 2)), expected)
      const [change] = changesIn(here)
      const rest = yield* there(streaming(guest, "/changes/stream", { "last-event-id": change.cursor }))
      assert.deepStrictEqual(eventsOf(yield* told(rest, 1)), expected.slice(1))
    }).pipe(Effect.scoped)
  )

  it.effect("ends within a second of the loss of its credential or account, on another instance", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = Effect.provideService(HttpClient.HttpClient, elsewhere)
      const leaves = yield* signUp("leaves")
      const banned = yield* signUp("banned")
      const [ofLeaves, ofBanned, stays] = [yield* opened(leaves), yield* opened(banned), yield* opened(freya)]
      yield* there(leaves.post("/auth/logout"))
      ok(yield* there(odin.post("/admin/bans/banned")))
      yield* TestClock.adjust("500 millis")
      yield* aWhile
      yield* TestClock.adjust("500 millis")
      yield* until("a stream went on", () => ofLeaves.isOver() && ofBanned.isOver(), 0)
      yield* aWhile
      assert.isFalse(stays.isOver())
    }).pipe(Effect.scoped)
  )

  it.effect("tells no more than the roles allow, a second after they change", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const helper = yield* signUp("helper")
      const role = yield* People.grant(helper, "MANAGE_POSTS")
      const stream = yield* opened(helper)
      yield* aWhile
      const { id } = yield* open(freya, "Watched", { visibility: "draft" })
      const changed = () => freya.patch(`/threads/${id}`, { title: "Watched more" })
      ok(yield* changed())
      yield* told(stream, 1)
      assert.strictEqual((yield* odin.delete(`/accounts/helper/roles/${role}`)).status, 200)
      yield* TestClock.adjust("500 millis")
      yield* aWhile
      yield* TestClock.adjust("500 millis")
      yield* aWhile
      ok(yield* changed())
      const last = yield* open(freya, "For all")
      // That its roles have changed is told to the account itself.
      assert.deepStrictEqual(eventsOf(yield* told(stream, 3)), [
        { event: "EventThreadUpdated", id },
        { event: "EventAccountUpdated", id: helper.id },
        published(last.id)
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("ends when the service is about to stop, and so does what waits", () =>
    Effect.gen(function* () {
      const { endAll } = yield* StreamPlaces
      const after = yield* latest
      const stream = yield* opened(guest)
      const waits = yield* Effect.forkScoped(guest.get(`/changes?after=${after}&wait=30`))
      yield* aWhile
      yield* endAll
      yield* until("a stream went on", () => stream.isOver() && waits.pollUnsafe() !== undefined, 0)
      const next = yield* streaming(guest)
      yield* until("a stream did not end", next.isOver, 0)
      assert.strictEqual(next.text(), "retry: 3000\n\n")
    }).pipe(Effect.scoped)
  )
})
