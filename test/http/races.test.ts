/** Races: what happens if the data changes between two statements of one request, or while a request waits. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { HttpClientError } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../src/domain/account/AccountStore.ts"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import type { Collection } from "../../src/domain/collection/Collection.ts"
import { CollectionStore } from "../../src/domain/collection/CollectionStore.ts"
import { LikeStore } from "../../src/domain/like/LikeStore.ts"
import { NotificationStore } from "../../src/domain/notification/NotificationStore.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ThreadStore } from "../../src/domain/thread/ThreadStore.ts"
import { DeadlineExceeded } from "../../src/http/contract/RequestProblems.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { fieldsOf } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { guest, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const withoutAccounts = TestApp.storesBut(AccountStore, (ours) => ({
  ...ours,
  find: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, withoutAccounts))("an account that is deleted during its request", (it) => {
  it.effect("is not authenticated any more", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      assertProblem(yield* odin.get("/accounts"), Unauthenticated)
      assertProblem(yield* odin.patch("/accounts", { bio: "still here" }), Unauthenticated)
    })
  )
})

const withoutPages = TestApp.storesBut(ThreadStore, (ours) => ({
  ...ours,
  findPage: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, withoutPages))("a thread that is deleted before its author reads it", (it) => {
  it.effect("is not found", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const opened = yield* odin.post("/threads", { title: "Gone", visibility: "published" })
      assertProblem(opened, ThreadNotFound)
      const [listed] = (yield* odin.get("/threads")).json.threads
      assertProblem(yield* odin.patch(`/threads/${listed.id}`, { title: "Back" }), ThreadNotFound)
      const { id } = yield* category(odin, "Place")
      assertProblem(yield* odin.post("/events", fieldsOf(id)), EventNotFound)
    })
  )
})

/** What others do between two statements of a request. */
const meanwhile: { happens: Effect.Effect<unknown> } = { happens: Effect.void }

const thenMeanwhile = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.tap(
    read,
    Effect.suspend(() => meanwhile.happens)
  )

/** The usual stores, with something that happens after each has read a list, and before its items are read. */
const interrupted = Layer.mergeAll(
  Layer.effect(
    CollectionStore,
    Effect.map(CollectionStore, (usual) => ({
      ...usual,
      items: (collection: Collection) => thenMeanwhile(usual.items(collection))
    }))
  ),
  Layer.effect(
    LikeStore,
    Effect.map(LikeStore, (usual) => ({
      ...usual,
      ofAccount: (...asked: Parameters<typeof usual.ofAccount>) => thenMeanwhile(usual.ofAccount(...asked))
    }))
  ),
  Layer.effect(
    NotificationStore,
    Effect.map(NotificationStore, (usual) => ({
      ...usual,
      list: (...asked: Parameters<typeof usual.list>) => thenMeanwhile(usual.list(...asked))
    }))
  )
).pipe(Layer.provideMerge(App.stores))

layer(People.withCast(TestApp.layerWhere({}, interrupted)))("what is hidden while it is listed", (it) => {
  it.effect("is left out", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* People.Cast
      const sql = yield* SqlClient.SqlClient
      const [hidden, shown] = [yield* open(freya, "Hidden"), yield* open(freya, "Shown")]
      const question = yield* reply(loki, shown.id, "question")
      const answer = yield* reply(freya, shown.id, "answer", { reply_to: question.id })
      const collection = ok(yield* freya.post("/collections", { name: "Both" })).id
      for (const { id } of [hidden, shown]) {
        ok(yield* freya.put(`/collections/${collection}/posts/${id}`))
        ok(yield* loki.put(`/likes/posts/${id}`))
      }
      yield* People.drainEvents
      const during = <A, E, R>(table: "threads" | "posts", id: string, request: Effect.Effect<A, E, R>) => {
        const set = (visibility: string) =>
          Effect.orDie(sql`update ${sql(table)} set visibility = ${visibility} where id = ${id}`)
        meanwhile.happens = set("draft")
        const undo = Effect.andThen(
          Effect.sync(() => {
            meanwhile.happens = Effect.void
          }),
          set("published")
        )
        return Effect.ensuring(request, undo)
      }
      const collected = Effect.map(guest.get(`/collections/${collection}`), (found) => idsOf(ok(found).items))
      assert.deepStrictEqual(yield* collected, [shown.id, hidden.id])
      assert.deepStrictEqual(yield* during("threads", hidden.id, collected), [shown.id])

      const liked = Effect.map(guest.get("/likes/profiles/loki"), (found) => {
        const { likes, results } = ok(found)
        assert.strictEqual(results, likes.length)
        return likes.map(({ item }: Answer["json"]) => item.ref.id)
      })
      assert.deepStrictEqual(yield* liked, [shown.id, hidden.id])
      assert.deepStrictEqual(yield* during("threads", hidden.id, liked), [shown.id])

      const told = Effect.map(loki.get("/notifications"), (found) => {
        const { notifications, results } = ok(found)
        assert.strictEqual(results, notifications.length)
        return notifications.map(({ item }: Answer["json"]) => item.ref.id)
      })
      assert.deepStrictEqual(yield* told, [answer.id])
      assert.deepStrictEqual(yield* during("posts", answer.id, told), [])
      assert.deepStrictEqual(yield* told, [answer.id])
    })
  )
})

layer(Layer.provideMerge(TestApp.layer, Logs.layer))("a request that waits for a lock", (it) => {
  const untilWaiting = (expected: boolean) =>
    SqlClient.SqlClient.use((sql) =>
      sql<{ readonly waits: boolean }>`select exists (
        select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      ) as waits`.pipe(Effect.repeat({ until: ([row]) => row?.waits === expected }))
    )

  /** Asks for a change of a thread that a transaction has locked, and continues in that transaction when the request waits. */
  const held = Effect.fnUntraced(function* <A, E, R>(
    name: string,
    then: (asked: Fiber.Fiber<Answer, HttpClientError.HttpClientError>) => Effect.Effect<A, E, R>
  ) {
    const sql = yield* SqlClient.SqlClient
    const odin = yield* signUp(name)
    const { id } = (yield* odin.post("/threads", { title: "Held", visibility: "published" })).json
    const change = odin.patch(`/threads/${id}`, { title: "Changed" })
    const answer = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select from threads where id = ${id} for update`
        const asked = yield* Effect.forkChild(change)
        yield* untilWaiting(true)
        const answer = yield* then(asked)
        yield* untilWaiting(false)
        return answer
      })
    )
    assert.strictEqual((yield* guest.get(`/threads/${id}`)).json.title, "Held")
    return answer
  })

  it.effect("is cancelled after 30 seconds, in the database too, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const answer = yield* held("odin", (asked) =>
        Effect.andThen(TestClock.adjust("30 seconds"), Fiber.join(asked))
      )
      assertProblem(answer, DeadlineExceeded)
      assert.strictEqual(answer.headers["retry-after"], "1")
    })
  )

  it.effect("is cancelled likewise when its client closes the connection", () =>
    Effect.gen(function* () {
      const changes = Effect.map(Logs.accesses, (lines) =>
        lines.filter(({ annotations }) => annotations.method === "PATCH")
      )
      const before = yield* changes
      yield* held("freya", Fiber.interrupt)
      // The line is written some time after the statement has ended.
      const { [before.length]: line } = yield* Effect.repeat(
        TestClock.withLive(Effect.delay(changes, "5 millis")),
        { until: ({ length }) => length > before.length }
      )
      assert.strictEqual(line?.annotations.status, 499)
    })
  )
})
