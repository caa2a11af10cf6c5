/** Who follows whom, and who is told. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { SelfFollow } from "../../src/domain/profile/PublicProfile.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  drainEvents,
  guest,
  nobody,
  type Person,
  reinstate,
  signUp,
  suspend
} from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const follow = (person: Person, handle: string) => person.put(`/profiles/${handle}/followers`)
const unfollow = (person: Person, handle: string) => person.delete(`/profiles/${handle}/followers`)

type Side = "followers" | "following"

const listOf = (handle: string, side: Side, page = "1") =>
  Effect.map(guest.get(`/profiles/${handle}/${side}?page=${page}`), ok)

const handlesIn = (list: Record<string, ReadonlyArray<{ readonly handle: string }>>, side: Side) =>
  (list[side] ?? []).map(({ handle }) => handle)

const namesOf = (handle: string, side: Side) =>
  Effect.map(listOf(handle, side), (list) => handlesIn(list, side))

const countsOf = (handle: string) =>
  Effect.map(guest.get(`/profiles/${handle}`), (answer) => [ok(answer).followers, answer.json.following])

const empty = SqlClient.SqlClient.use((sql) =>
  Effect.andThen(sql`delete from follows`, sql`delete from notifications`)
)

const notificationsOf = (person: Person) =>
  Effect.andThen(
    drainEvents,
    Effect.map(person.get("/notifications"), (answer) => ok(answer).notifications)
  )

layer(People.layer)("following", (it) => {
  it.effect("is seen from both sides, newest first, and ends", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      for (const person of [freya, odin, tyr]) {
        const answer = yield* follow(person, "loki")
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        assert.strictEqual(answer.headers["content-length"], "0")
        yield* TestClock.adjust("1 second")
      }
      ok(yield* follow(freya, odin.id))
      ok(yield* follow(freya, "TYR"))
      assert.deepStrictEqual(yield* namesOf("loki", "followers"), ["tyr", "odin", "freya"])
      assert.deepStrictEqual(yield* namesOf("freya", "following"), ["tyr", "odin", "loki"])
      assert.deepStrictEqual(yield* namesOf("loki", "following"), [])
      assert.deepStrictEqual(yield* countsOf("loki"), [3, 0])
      assert.deepStrictEqual(yield* countsOf("freya"), [0, 3])
      assert.deepStrictEqual(yield* countsOf("tyr"), [1, 1])
      const { followers, ...numbers } = yield* listOf(loki.id, "followers")
      assert.deepStrictEqual(numbers, { page_size: 50, results: 3, total_pages: 1, current_page: 1 })
      const thread = yield* open(freya, "By Freya")
      assert.deepStrictEqual(followers[2], thread.author)

      for (const _ of [1, 2]) {
        const answer = yield* unfollow(odin, "loki")
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      }
      assert.deepStrictEqual(yield* namesOf("loki", "followers"), ["tyr", "freya"])
      assert.deepStrictEqual(yield* countsOf("loki"), [2, 0])
      assert.deepStrictEqual(yield* countsOf("odin"), [1, 0])
    })
  )

  it.effect("twice is once, and stays where it was in the list", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from event_log`
      ok(yield* follow(freya, "loki"))
      yield* TestClock.adjust("1 second")
      ok(yield* follow(odin, "loki"))
      ok(yield* follow(freya, "loki"))
      ok(yield* follow(freya, "LOKI"))
      assert.deepStrictEqual(yield* namesOf("loki", "followers"), ["odin", "freya"])
      assert.deepStrictEqual(yield* countsOf("loki"), [2, 0])
      ok(yield* unfollow(freya, "loki"))
      ok(yield* unfollow(freya, "loki"))
      ok(yield* follow(freya, "loki"))
      assert.deepStrictEqual(yield* namesOf("loki", "followers"), ["freya", "odin"])
      const events = yield* sql<{ readonly event: { readonly _tag: string } }>`
        select event from event_log order by id`
      assert.deepStrictEqual(
        events.map(({ event }) => event._tag),
        ["AccountFollowed", "AccountFollowed", "AccountUnfollowed", "AccountFollowed"]
      )
    })
  )

  it.effect("is refused for oneself, the unknown, guests and suspended accounts", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* empty
      for (const self of ["freya", "FREYA", freya.id]) assertProblem(yield* follow(freya, self), SelfFollow)
      ok(yield* unfollow(freya, "freya"))
      for (const unknown of ["nobody", nobody, "self", "%20"]) {
        const account = decodeURIComponent(unknown)
        assertProblem(yield* follow(freya, unknown), AccountNotFound, { account })
        assertProblem(yield* unfollow(freya, unknown), AccountNotFound, { account })
        assertProblem(yield* guest.get(`/profiles/${unknown}/followers`), AccountNotFound, { account })
        assertProblem(yield* guest.get(`/profiles/${unknown}/following`), AccountNotFound, { account })
      }
      assertProblem(yield* guest.get("/profiles/nobody/followers?page=99"), AccountNotFound)
      assertProblem(yield* follow(guest, "freya"), Unauthenticated)
      assertProblem(yield* unfollow(guest, "nobody"), Unauthenticated)
      yield* suspend(loki)
      assertProblem(yield* follow(loki, "freya"), AccountSuspended)
      // Those who cannot sign in can be followed.
      ok(yield* follow(freya, "loki"))
      const { followers } = yield* listOf("freya", "followers")
      assert.deepStrictEqual(followers, [])
      yield* reinstate(loki)
      assert.deepStrictEqual(yield* countsOf("freya"), [0, 1])
    })
  )

  it.effect("shows people as they are now", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* empty
      ok(yield* follow(freya, "odin"))
      yield* listOf("odin", "followers")
      ok(yield* freya.patch("/accounts", { name: "Vanadis", signature: "cats" }))
      const [follower] = (yield* listOf("odin", "followers")).followers
      assert.deepStrictEqual([follower.name, follower.signature], ["Vanadis", "<body>cats</body>"])
      yield* suspend(odin)
      assert.property((yield* listOf("freya", "following")).following[0], "suspended")
      yield* reinstate(odin)
    })
  )
})

layer(People.layer)("counts of followers", (it) => {
  it.effect("are true after many followed at once, some of them twice", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const crowd = yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => signUp(`crowd${n}`))
      const all = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
        Effect.all(calls, { concurrency: "unbounded" })
      for (const answer of yield* all(crowd.map((one) => follow(one, "freya")))) ok(answer)
      assert.deepStrictEqual(yield* countsOf("freya"), [50, 0])
      const again = crowd.flatMap((one, n) => [
        n % 2 === 0 ? follow(one, "freya") : unfollow(one, "freya"),
        n % 2 === 0 ? follow(one, "freya") : unfollow(one, "freya"),
        follow(freya, one.id),
        follow(freya, one.id)
      ])
      for (const answer of yield* all(again)) ok(answer)
      assert.deepStrictEqual(yield* countsOf("freya"), [25, 50])
      assert.strictEqual((yield* listOf("freya", "followers")).results, 25)
      const sql = yield* SqlClient.SqlClient
      const wrong =
        yield* sql`select a.handle from accounts a left join account_counts c on c.account_id = a.id
        where coalesce(c.followers, 0) <> (select count(*) from follows where followed_id = a.id)
          or coalesce(c.following, 0) <> (select count(*) from follows where follower_id = a.id)`
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("are true after two followed each other at once, again and again", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      for (let round = 0; round < 10; round++) {
        const calls = [
          follow(loki, "odin"),
          follow(odin, "loki"),
          unfollow(loki, "odin"),
          unfollow(odin, "loki")
        ]
        for (const answer of yield* Effect.all(calls, { concurrency: "unbounded" })) ok(answer)
      }
      ok(yield* follow(loki, "odin"))
      ok(yield* unfollow(odin, "loki"))
      assert.deepStrictEqual(yield* countsOf("odin"), [1, 0])
      assert.deepStrictEqual(yield* countsOf("loki"), [0, 1])
    })
  )

  it.effect("follow when an account is deleted", () =>
    Effect.gen(function* () {
      const { loki, tyr } = yield* Cast
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const [gone, other] = [yield* signUp("gone"), yield* signUp("other")]
      ok(yield* follow(gone, "tyr"))
      ok(yield* follow(loki, "gone"))
      ok(yield* follow(other, "tyr"))
      yield* drainEvents
      yield* sql`delete from accounts where id = ${gone.id}`
      assert.deepStrictEqual(yield* countsOf("tyr"), [1, 0])
      assert.deepStrictEqual(yield* countsOf("loki"), [0, 0])
      assert.deepStrictEqual(yield* namesOf(tyr.id, "followers"), ["other"])
    })
  )

  it.effect("hold in the database: nobody follows anybody twice, or themselves", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const insert = (id: string, follower: string, followed: string) =>
        sql`insert into follows (id, follower_id, followed_id, created_at)
          values (${id}, ${follower}, ${followed}, now())`
      yield* insert("1", freya.id, loki.id)
      const twice = yield* Effect.flip(insert("2", freya.id, loki.id))
      assert.strictEqual(twice.reason._tag, "UniqueViolation")
      const self = yield* Effect.flip(insert("3", freya.id, freya.id))
      assert.strictEqual(self.reason._tag, "ConstraintError")
      assert.deepStrictEqual(yield* countsOf("loki"), [1, 0])
    })
  )
})

layer(People.layer)("the pages of followers", (it) => {
  it.effect("have every follower once, newest first, from either end", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const count = 2_117
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'm' || lpad(n::text, 18, '0') || '0', 'epoch', 'epoch', 'fan' || n, 'fan' || n, 'fan'
        from generate_series(1, ${count}) n`
      yield* sql`insert into follows (id, follower_id, followed_id, created_at)
        select 'f' || substr(id, 2), id, ${freya.id}, 'epoch'::timestamptz + (substr(id, 2, 18)::int / 7) * interval '1 s'
        from accounts where handle like 'fan%'`
      yield* sql`insert into follows (id, follower_id, followed_id, created_at)
        select 'b' || substr(id, 2), ${freya.id}, id, 'epoch' from accounts where handle like 'fan%'`
      const whole = Array.from({ length: count }, (_, n) => `fan${count - n}`)
      const pages = Math.ceil(count / 50)
      for (const side of ["followers", "following"] as const) {
        for (const page of [1, 2, 20, 21, 22, 30, pages - 1, pages, pages + 1, 2147483647]) {
          const list = yield* listOf("freya", side, `${page}`)
          const { [side]: people, next_cursor, ...numbers } = list
          assert.strictEqual(next_cursor !== undefined, page < pages)
          const items = whole.slice((page - 1) * 50, page * 50)
          assert.deepStrictEqual(handlesIn(list, side), items, `${side} ${page}`)
          assert.strictEqual(people.length, items.length)
          assert.deepStrictEqual(numbers, {
            page_size: 50,
            results: items.length,
            total_pages: pages,
            current_page: page,
            ...(page < pages ? { next_page: page + 1 } : {})
          })
        }
      }
      for (const page of ["0", "-3", "x"]) {
        assert.strictEqual((yield* listOf("freya", "followers", page)).current_page, 1)
      }
    })
  )
})

layer(People.layer)("whoever is followed", (it) => {
  it.effect("is notified of it, once for each follower", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* TestClock.adjust("5 seconds")
      ok(yield* follow(freya, "loki"))
      const [notification, ...others] = yield* notificationsOf(loki)
      assert.deepStrictEqual(others, [])
      const { id: _, ...rest } = notification
      const thread = yield* open(freya, "By Freya")
      assert.deepStrictEqual(rest, {
        created_at: "1970-01-01T00:00:05.000Z",
        event: "follow",
        source: thread.author,
        status: "unread"
      })
      assert.strictEqual(ok(yield* loki.get("/accounts")).notifications, 1)
      assert.deepStrictEqual(yield* notificationsOf(freya), [])

      ok(yield* follow(freya, "loki"))
      ok(yield* follow(odin, "loki"))
      const sources = (all: ReadonlyArray<{ source: { handle: string } }>) =>
        all.map(({ source }) => source.handle)
      assert.deepStrictEqual(sources(yield* notificationsOf(loki)), ["odin", "freya"])
      const read = yield* loki.patch(`/notifications/${notification.id}`, { status: "read" })
      assert.deepStrictEqual(ok(read), { ...notification, status: "read" })
    })
  )

  it.effect("is not notified again by who unfollows and follows again, while the first one is there", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const again = Effect.andThen(unfollow(freya, "loki"), follow(freya, "loki"))
      yield* again
      yield* again
      const [first, ...others] = yield* notificationsOf(loki)
      assert.deepStrictEqual(others, [])
      ok(yield* loki.patch(`/notifications/${first.id}`, { status: "read" }))
      yield* again
      assert.deepStrictEqual(yield* notificationsOf(loki), [{ ...first, status: "read" }])
      yield* sql`delete from notifications`
      yield* again
      const [later] = yield* notificationsOf(loki)
      assert.strictEqual(later.status, "unread")
      assert.strictEqual(later.source.handle, "freya")
    })
  )

  it.effect("is notified by each of many who follow at once, and of each once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* empty
      const crowd = yield* Effect.forEach(Array.from({ length: 10 }), (_, n) => signUp(`many${n}`))
      yield* Effect.forEach([...crowd, ...crowd], (one) => follow(one, "odin"), { concurrency: "unbounded" })
      assert.strictEqual((yield* notificationsOf(odin)).length, 10)
    })
  )
})
