/** Writers of one thread or one account wait where they keep nobody from writing, and only so many of them. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TooManyWriters } from "../../src/domain/storage/StorageProblem.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { category, open, reply } from "../support/discussion.ts"
import { addressOf, askForCode, askForReset, codeMember, signUpByCode } from "../support/emails.ts"
import { ofOneClient } from "../support/lanes.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const app = People.withCast(Layer.provide(TestApp.layer, ofOneClient))

const atOnce = <A, E, R>(count: number, call: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => call(n)),
    { concurrency: "unbounded" }
  )

/** Holds the locks of threads in a transaction of its own while an effect runs. */
const whileLocked = <A, E, R>(ids: ReadonlyArray<string>, effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.andThen(sql`select from threads where id = any(${ids}::text[]) for update`, effect)
    )
  )

layer(app)("writers that wait for a row", (it) => {
  it.effect("keep nobody else from writing; more than 64 of them are refused", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const [held, other] = [yield* open(freya, "Held"), yield* open(loki, "Other")]
      const refused = yield* Deferred.make<Answer>()
      // The calls that wait take all places; each that comes later is refused at once.
      const calls = [
        (n: number) => freya.patch(`/threads/${held.id}`, { title: `Title ${n}` }),
        () => odin.post(`/threads/${held.slug}/replies`, { body: "waits" }),
        () => tyr.patch(`/posts/${held.id}`, { meta: {} })
      ]
      const asked = yield* whileLocked(
        [held.id],
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(
            atOnce(70, (n) =>
              Effect.tap(calls[n % 3]?.(n) ?? Effect.die("none"), (answer) =>
                answer.status === 200 ? Effect.void : Deferred.succeed(refused, answer)
              )
            )
          )
          const answer = yield* Deferred.await(refused)
          assertProblem(answer, TooManyWriters, { retry_after: 1 })
          assert.strictEqual(answer.headers["retry-after"], "1")
          // The lock is held, and of those that wait for it two have a connection.
          yield* untilWaiting(2)
          assert.strictEqual(ok(yield* guest.get(`/threads/${held.id}`)).title, "Held")
          ok(yield* loki.patch(`/threads/${other.id}`, { title: "Others write" }))
          yield* reply(loki, other.id, "and reply")
          return asked
        })
      )
      const answers = yield* Fiber.join(asked)
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 64)
      for (const answer of answers) if (answer.status !== 200) assertProblem(answer, TooManyWriters)
      assert.strictEqual((yield* freya.patch(`/threads/${held.id}`, { title: "Free" })).status, 200)
    })
  )
})

layer(app)("writers of one account", (it) => {
  it.effect("keep nobody else from writing, whatever they change", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const threads = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) => open(freya, `Thread ${n}`))
      const ids = threads.map(({ id }) => id)
      const other = yield* open(loki, "Other")
      const asked = yield* whileLocked(
        ids,
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(
            atOnce(ids.length, (n) => freya.patch(`/threads/${ids[n]}`, { title: "Changed" }))
          )
          yield* untilWaiting(2)
          ok(yield* loki.patch(`/threads/${other.id}`, { title: "Others write" }))
          yield* untilWaiting(2)
          return asked
        })
      )
      for (const answer of yield* Fiber.join(asked)) ok(answer)
    })
  )
})

layer(app)("strangers who ask for mails to one account", (it) => {
  it.effect("keep nobody else from writing", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const email = addressOf("bragi")
      const bragi = yield* codeMember("bragi")
      const other = yield* open(loki, "Other")
      const calls = [() => askForCode(email), () => askForReset(email), () => signUpByCode({ email })]
      const sql = yield* SqlClient.SqlClient
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from accounts where id = ${bragi.id} for update`
          const asked = yield* Effect.forkChild(atOnce(12, (n) => calls[n % 3]?.() ?? Effect.die("none")))
          yield* untilWaiting(2)
          ok(yield* loki.patch(`/threads/${other.id}`, { title: "Others write" }))
          yield* untilWaiting(2)
          return asked
        })
      )
      // The sign-up has caused one of five.
      const statuses = (yield* Fiber.join(asked)).map(({ status }) => status)
      assert.lengthOf(
        statuses.filter((status) => status < 300 || status === 422),
        4
      )
      assert.lengthOf(
        statuses.filter((status) => status === 403),
        8
      )
    })
  )
})

layer(app)("writers of the tree of categories", (it) => {
  it.effect("keep nobody else from writing, whoever they are", () =>
    Effect.gen(function* () {
      const { loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* grant(tyr, "MANAGE_CATEGORIES")
      const places = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) => category(odin, `Place ${n}`))
      const other = yield* open(loki, "Other")
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select lock_category_tree()`
          const asked = yield* Effect.forkChild(
            atOnce(places.length, (n) =>
              (n % 2 === 0 ? odin : tyr).patch(`/categories/${places[n].slug}`, { colour: "red" })
            )
          )
          yield* untilWaiting(2)
          ok(yield* loki.patch(`/threads/${other.id}`, { title: "Others write" }))
          yield* untilWaiting(2)
          return asked
        })
      )
      for (const answer of yield* Fiber.join(asked)) ok(answer)
    })
  )
})
