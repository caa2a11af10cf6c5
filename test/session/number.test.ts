/** How many sessions an account has: of more, those end that began longest ago, whatever begins another one. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { sessionsMax } from "../../src/domain/session/Session.ts"
import { SessionStore } from "../../src/domain/session/SessionStore.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { addTo, signInWith } from "../passkey/support.ts"
import { type Answer, ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import { untilWaiting } from "../support/database.ts"
import {
  accountOf,
  addressOf,
  askForReset,
  confirm,
  emailMember,
  reset,
  signInByEmail
} from "../support/emails.ts"
import { tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, password, personIn, removePassword, signIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

type World = HttpClient.HttpClient | SqlClient.SqlClient

const numberOf = ({ id }: Person) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(sql`select from sessions where account_id = ${id}`, (rows) => rows.length)
  )

/** Begins sessions of an account until there are as many as it may have, all of them after those it has. */
const fill = Effect.fnUntraced(function* ({ id }: Person, after = "1 millisecond") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into sessions (token_hash, account_id, created_at, expires_at)
    select sha256(convert_to(${id} || n, 'utf8')), ${id}, last + ${after}::interval, '1970-03-01Z'
    from (select count(*) as number, max(created_at) as last from sessions where account_id = ${id}) own,
      generate_series(1, ${sessionsMax} - number) n`
})

/** What begins a session, for somebody who has everything that any of these needs. */
const ways: ReadonlyArray<
  readonly [string, (person: Person, handle: string) => Effect.Effect<Answer, unknown, World>]
> = [
  ["a handle and a password", (_, handle) => signIn(handle)],
  ["an address and a password", (_, handle) => signInByEmail(addressOf(handle))],
  ["a code", (_, handle) => confirm(addressOf(handle))],
  [
    "a token",
    (_, handle) =>
      Effect.gen(function* () {
        ok(yield* askForReset(addressOf(handle)))
        return yield* reset(yield* tokenTo(addressOf(handle)), "the next password")
      })
  ],
  ["a new password", (person) => person.patch("/auth/password", { old: password, new: "the next password" })],
  [
    "a first password",
    (person) => Effect.andThen(removePassword(person), person.post("/auth/password", { password }))
  ]
]

layer(People.layer)("an account", (it) => {
  it.effect("has a hundred sessions; the next one ends the first, and no other account's", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const all = [freya]
      while (all.length < sessionsMax) {
        yield* TestClock.adjust("1 second")
        all.push(personIn(yield* signIn("freya")))
      }
      for (const session of all) ok(yield* session.get("/accounts"))

      yield* TestClock.adjust("1 second")
      const next = personIn(yield* signIn("freya"))
      const [first, second, ...others] = all
      assertProblem(yield* (first ?? freya).get("/accounts"), Unauthenticated)
      for (const session of [second ?? freya, ...others, next]) ok(yield* session.get("/accounts"))

      yield* TestClock.adjust("1 second")
      ok(yield* signIn("freya"))
      assertProblem(yield* (second ?? freya).get("/accounts"), Unauthenticated)
      for (const session of [...others, next, loki]) ok(yield* session.get("/accounts"))
      assert.strictEqual(yield* numberOf(freya), sessionsMax)
    })
  )

  it.effect("has a session that has just begun, though the clock that it began by is behind", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* fill(tyr, "1 day")
      ok(yield* personIn(yield* signIn("tyr")).get("/accounts"))
      assert.strictEqual(yield* numberOf(tyr), sessionsMax)
      assertProblem(yield* tyr.get("/accounts"), Unauthenticated)
    })
  )
})

layer(People.layer)("the oldest session", (it) => {
  it.effect.each(ways)("ends when another one begins by %s", ([way, begin]) =>
    Effect.gen(function* () {
      const handle = `by-${way.replaceAll(" ", "-")}`
      const person = yield* emailMember(handle)
      yield* fill(person)
      yield* TestClock.adjust("1 second")
      const next = personIn(yield* begin(person, handle))
      assert.strictEqual((yield* accountOf(next)).handle, handle)
      assert.strictEqual(yield* numberOf(person), sessionsMax)
      assertProblem(yield* person.get("/accounts"), Unauthenticated)
    })
  )

  it.effect("ends when another one begins by adding a passkey, or by signing in with one", () =>
    Effect.gen(function* () {
      const first = yield* emailMember("by-passkey")
      yield* fill(first)
      yield* TestClock.adjust("1 second")
      const passkey = makePasskey()
      const second = yield* addTo(first, "by-passkey", passkey)
      assert.strictEqual(yield* numberOf(first), sessionsMax)
      assertProblem(yield* first.get("/accounts"), Unauthenticated)
      const third = personIn(yield* signInWith("by-passkey", passkey))
      assert.strictEqual(yield* numberOf(first), sessionsMax)
      ok(yield* third.get("/accounts"))
      ok(yield* second.get("/accounts"))
    })
  )
})

layer(People.layer)("sessions that begin at the same time", (it) => {
  it.effect("wait for each other, so that together they are no more", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* fill(loki)
      yield* TestClock.adjust("1 second")
      const sql = yield* SqlClient.SqlClient
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into sessions (token_hash, account_id, created_at, expires_at)
            values (sha256('the first'), ${loki.id}, '1970-01-01Z', '1970-03-01Z')`
          const asked = yield* Effect.forEach(["loki", "loki"], (handle) => Effect.forkChild(signIn(handle)))
          yield* untilWaiting(2)
          ok(yield* signIn("freya"))
          return asked
        })
      )
      for (const one of asked) ok(yield* personIn(yield* Fiber.join(one)).get("/accounts"))
      assert.strictEqual(yield* numberOf(loki), sessionsMax)
    })
  )

  it.effect("all count where many begin", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* fill(freya)
      yield* TestClock.adjust("1 second")
      const many = yield* Effect.forEach(Array(30).keys(), () => signIn("freya"), {
        concurrency: "unbounded"
      })
      for (const answer of many) ok(yield* personIn(answer).get("/accounts"))
      assert.strictEqual(yield* numberOf(freya), sessionsMax)
    })
  )
})

let held: { readonly reached: Deferred.Deferred<void>; readonly go: Deferred.Deferred<void> } | undefined

const holding = TestApp.storesBut(SessionStore, (usual) => ({
  ...usual,
  deleteAllOf: (id) =>
    Effect.andThen(
      usual.deleteAllOf(id),
      Effect.suspend(() =>
        held === undefined
          ? Effect.void
          : Effect.andThen(Deferred.succeed(held.reached, undefined), Deferred.await(held.go))
      )
    )
}))

layer(People.withCast(TestApp.layerWhere({}, holding)))("ending all sessions of an account", (it) => {
  it.effect("waits for no sign-in that waits for it", () =>
    Effect.gen(function* () {
      const person = yield* emailMember("hod")
      yield* fill(person)
      held = { reached: yield* Deferred.make<void>(), go: yield* Deferred.make<void>() }
      const ending = yield* Effect.forkChild(
        person.patch("/auth/password", { old: password, new: "the next password", revoke_sessions: true })
      )
      yield* Deferred.await(held.reached)
      const entering = yield* Effect.forkChild(confirm(addressOf("hod")))
      yield* untilWaiting(1)
      yield* Deferred.succeed(held.go, undefined)
      ok(yield* Fiber.join(ending))
      ok(yield* Fiber.join(entering))
      assert.strictEqual(yield* numberOf(person), 2)
    })
  )
})
