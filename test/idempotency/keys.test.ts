/** A request with a key is done once, and answered as it was. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Latch, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryTaken } from "../../src/domain/category/Category.ts"
import {
  IdempotencyAnswerWithheld,
  IdempotencyKeyInProgress,
  IdempotencyKeyReused,
  keptBodyMax,
  largeBodyMin,
  largeBytesMax
} from "../../src/domain/idempotency/IdempotencyKey.ts"
import { IdempotencyKeys } from "../../src/domain/idempotency/IdempotencyKeys.ts"
import { type Claim, type Claimed, IdempotencyStore } from "../../src/domain/idempotency/IdempotencyStore.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { fifty } from "../support/fifty.ts"
import { isReplayed, loseInstance, storedKeys, withKey } from "../support/idempotency.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime } from "../support/waiting.ts"

const count = (table: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`,
      ([row]) => row?.count ?? 0
    )
  )

const thread = (author: Person, title = "Once") => author.post("/threads", { title, visibility: "published" })

layer(People.layer)("a request with a key", (it) => {
  it.effect("is answered again, byte for byte, by every account for itself", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const first = yield* withKey("a")(thread(freya))
      assert.isFalse(isReplayed(first))
      const again = yield* withKey("a")(thread(freya))
      assert.isTrue(isReplayed(again))
      assert.strictEqual(again.status, 200)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers["content-type"], first.headers["content-type"])
      // Another account has a key of the same name for itself.
      const theirs = yield* withKey("a")(thread(loki))
      assert.isFalse(isReplayed(theirs))
      assert.notStrictEqual(ok(theirs).id, ok(first).id)
      assert.strictEqual((yield* withKey("a")(thread(loki))).text, theirs.text)
      assert.strictEqual((yield* withKey("a")(thread(freya))).text, first.text)
      // Without a key it is done as often as it is asked.
      assert.notStrictEqual(ok(yield* thread(freya)).id, ok(yield* thread(freya)).id)
    })
  )

  it.effect("is refused if another request has used its key", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* open(freya, "Reused")
      yield* withKey("b")(freya.patch(`/threads/${id}`, { title: "One" }))
      for (const other of [
        freya.patch(`/threads/${id}`, { title: "Two" }),
        freya.patch(`/threads/${id}?page=1`, { title: "One" }),
        freya.delete(`/threads/${id}`),
        freya.post("/threads", { title: "One" })
      ]) {
        assertProblem(yield* withKey("b")(other), IdempotencyKeyReused)
      }
      assert.strictEqual(ok(yield* freya.get(`/threads/${id}`)).title, "One")
    })
  )

  it.effect("is answered with the same refusal by a rule, and without a new one of a malformed request", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const category = { name: "Tides", description: "", colour: "" }
      ok(yield* odin.post("/categories", category))
      const refused = yield* withKey("c")(odin.post("/categories", category))
      assertProblem(refused, CategoryTaken)
      yield* SqlClient.SqlClient.use((sql) => sql`update categories set name = 'Ebb', slug = 'ebb'`)
      const again = yield* withKey("c")(odin.post("/categories", category))
      assert.isTrue(isReplayed(again))
      assert.strictEqual(again.text, refused.text)
      assert.strictEqual(again.headers["content-type"], "application/problem+json")

      const before = yield* storedKeys
      assertInvalid(
        yield* withKey("d")(odin.post("/categories", { name: 1 })),
        "body name",
        "body description",
        "body colour"
      )
      assert.deepStrictEqual(yield* storedKeys, before)
      ok(yield* withKey("d")(odin.post("/categories", category)))
    })
  )

  it.effect("does not keep an answer that shows a secret", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const key = ok(yield* withKey("e")(odin.post("/auth/access-keys", { name: "once" })))
      const again = yield* withKey("e")(odin.post("/auth/access-keys", { name: "once" }))
      assertProblem(again, IdempotencyAnswerWithheld, { status: 200, id: key.id })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly text: string }>`
        select k::text as text from idempotency_keys k where key = 'e' and account_id = ${odin.id}`
      assert.include(row?.text, key.id)
      assert.notInclude(row?.text, Buffer.from(key.secret).toString("hex"))
      assert.notInclude(row?.text, key.secret)
    })
  )

  it.effect("does not keep an answer that is large, and says what was made", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const of = (key: string, length: number) => {
        const more = { meta: { text: "€".repeat(60_000) }, body: `<p>${"€".repeat(length)}</p>` }
        return withKey(key)(freya.post("/threads", { title: "Large", ...more }))
      }
      const fits = yield* of("fits", 10_000)
      assert.isAbove(Buffer.byteLength(fits.text), 200_000)
      assert.strictEqual((yield* of("fits", 10_000)).text, fits.text)
      const large = yield* of("large", 40_000)
      assert.isAbove(Buffer.byteLength(large.text), keptBodyMax)
      const { id } = ok(large)
      assertProblem(yield* of("large", 40_000), IdempotencyAnswerWithheld, { status: 200, id })
    })
  )

  it.effect("is forgotten with its answer after a day", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const first = ok(yield* withKey("f")(thread(freya)))
      yield* TestClock.adjust(Duration.hours(24))
      assert.strictEqual(ok(yield* withKey("f")(thread(freya))).id, first.id)
      yield* TestClock.adjust(Duration.millis(1))
      // Also before the chore has removed it.
      const later = yield* withKey("f")(thread(freya, "Another"))
      assert.isFalse(isReplayed(later))
      const { forget } = yield* IdempotencyKeys
      yield* forget
      const keys = (yield* storedKeys).map(({ key }) => key)
      assert.deepStrictEqual(keys, ["f"])
      yield* TestClock.adjust(Duration.hours(24))
      yield* forget
      assert.isTrue(isReplayed(yield* withKey("f")(thread(freya, "Another"))))
      yield* TestClock.adjust(Duration.millis(1))
      yield* forget
      assert.deepStrictEqual(yield* storedKeys, [])
    })
  )

  it.effect("goes with its account", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* withKey("g")(thread(loki))
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly rule: string }>`
        select string_agg(confdeltype::text, '') as rule from pg_constraint
        where conrelid in ('idempotency_keys'::regclass, 'idempotency_counts'::regclass) and contype = 'f'`
      assert.strictEqual(row?.rule, "cc")
    })
  )
})

layer(People.layer)("keys of a day", (it) => {
  it.effect("are counted, but for those that were given back", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const kept = Effect.map(
        sql<{ readonly kept: number }>`select kept from idempotency_counts where account_id = ${freya.id}`,
        ([row]) => row?.kept
      )
      yield* withKey("one")(thread(freya))
      yield* withKey("one")(thread(freya))
      yield* withKey("two")(thread(freya))
      assert.strictEqual(yield* kept, 2)
      yield* withKey("three")(freya.post("/threads", { title: 1 }))
      assert.strictEqual(yield* kept, 2)
      yield* TestClock.adjust(Duration.hours(25))
      yield* withKey("one")(thread(freya))
      assert.strictEqual(yield* kept, 1)
    })
  )
})

layer(People.layer)("large answers", (it) => {
  const large = { meta: { text: "x".repeat(50_000) } }
  const send = Effect.fnUntraced(function* (key: string) {
    const { freya } = yield* Cast
    const asked = withKey(key)(freya.post("/threads", { title: "Large", ...large }))
    return { asked, first: ok(yield* asked) }
  })
  const kept = Effect.fnUntraced(function* () {
    const { freya } = yield* Cast
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly large_bytes: number }>`
      select large_bytes from idempotency_counts where account_id = ${freya.id}`
    return row?.large_bytes ?? 0
  })

  it.effect("are kept as long as the account has few of a day, and are withheld then", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* withKey("small")(thread(freya))
      assert.strictEqual(yield* kept(), 0)
      const { asked, first } = yield* send("first")
      assert.isTrue(isReplayed(yield* asked))
      const bytes = yield* kept()
      assert.isAbove(bytes, 50_000)

      // Exactly as much room as it needs, and a byte less.
      yield* sql`update idempotency_counts set large_bytes = ${largeBytesMax - bytes}`
      const fits = yield* send("fits")
      assert.isTrue(isReplayed(yield* fits.asked))
      assert.strictEqual(yield* kept(), largeBytesMax)
      yield* sql`update idempotency_counts set large_bytes = ${largeBytesMax - bytes + 1}`
      const late = yield* send("late")
      const withheld = { status: 200, id: late.first.id }
      assertProblem(yield* late.asked, IdempotencyAnswerWithheld, withheld)
      // Small ones have room, and what was kept before is told again.
      yield* withKey("also-small")(thread(freya))
      assert.isTrue(isReplayed(yield* withKey("also-small")(thread(freya))))
      assert.strictEqual((yield* asked).json?.id, first.id)

      yield* TestClock.adjust(Duration.hours(25))
      const next = yield* send("next-day")
      assert.isTrue(isReplayed(yield* next.asked))
      assert.strictEqual(yield* kept(), bytes)
    })
  )
})

let forgettings = 0
const countingForgettings = TestApp.storesBut(IdempotencyStore, (usual) =>
  IdempotencyStore.of({
    ...usual,
    forget: (before) =>
      Effect.suspend(() => {
        forgettings += 1
        return usual.forget(before)
      })
  })
)

layer(People.withCast(TestApp.layerWhere({}, countingForgettings)))("keys that have expired", (it) => {
  it.effect("are forgotten a few at a time", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      for (const { id } of [freya, loki]) {
        yield* sql`insert into idempotency_keys (account_id, key, fingerprint, claim, claimed_at, backend, backend_at,
            answered_at, status)
          select ${id}, n::text, decode(repeat('00', 32), 'hex'), decode(repeat('00', 16), 'hex'), 'epoch', 0, now(),
            'epoch', 200 from generate_series(1, 550) n`
      }
      yield* TestClock.adjust(Duration.hours(25))
      yield* withKey("now")(thread(freya))
      const { forget } = yield* IdempotencyKeys
      yield* forget
      // 500 each, and what is left.
      assert.strictEqual(forgettings, 3)
      assert.deepStrictEqual(
        (yield* storedKeys).map(({ key }) => key),
        ["now"]
      )
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("fifty requests with one key", (it) => {
  it.effect("are done once, on two instances", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answers = yield* fifty(() => withKey("fifty")(thread(freya)))
      const done = answers.filter(({ status }) => status === 200)
      assert.isAbove(done.length, 0)
      assert.strictEqual(new Set(done.map(({ text }) => text)).size, 1)
      assert.strictEqual(done.filter((answer) => !isReplayed(answer)).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertProblem(answer, IdempotencyKeyInProgress)
      assert.strictEqual(yield* count("threads"), 1)
      const elsewhere = yield* TestApp.UncachedClient
      const again = yield* Effect.provideService(
        withKey("fifty")(thread(freya)),
        HttpClient.HttpClient,
        elsewhere
      )
      assert.isTrue(isReplayed(again))
      assert.strictEqual(again.text, done[0]?.text)
    })
  )

  it.effect("with keys of their own are all done, as those without", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* open(odin, "Busy")
      const answers = yield* fifty((n) =>
        withKey(`own ${n}`.replace(" ", "-"))(odin.post(`/threads/${id}/replies`, { body: `${n}` }))
      )
      assert.deepStrictEqual(
        answers.filter(({ status }) => status !== 200).map(({ text }) => text),
        []
      )
      assert.strictEqual(ok(yield* odin.get(`/threads/${id}`)).replies.results, 50)
    })
  )
})

/** As if nobody knew what the request with a key came to. */
const unanswer = (key: string) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`update idempotency_keys set answered_at = null, status = null, content_type = null, body = null
      where key = ${key}`
  )

layer(People.layer)("a key whose instance is gone", (it) => {
  it.effect("is taken by the next request, and what is left of the first keeps nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* withKey("gone")(thread(freya))
      yield* unanswer("gone")
      assertProblem(yield* withKey("gone")(thread(freya)), IdempotencyKeyInProgress)
      yield* loseInstance
      const taken = yield* withKey("gone")(thread(freya))
      assert.isFalse(isReplayed(taken))
      assert.strictEqual(taken.status, 200)
    })
  )

  it.effect("is taken as well where another connection has the number of its one by now", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* withKey("recycled")(thread(freya))
      yield* unanswer("recycled")
      assertProblem(yield* withKey("recycled")(thread(freya)), IdempotencyKeyInProgress)
      // The connection that there is began later than that.
      yield* SqlClient.SqlClient.use(
        (sql) => sql`update idempotency_keys set backend_at = 'epoch' where key = 'recycled'`
      )
      const taken = yield* withKey("recycled")(thread(freya))
      assert.isFalse(isReplayed(taken))
      assert.strictEqual(taken.status, 200)
    })
  )

  it.effect("is still the key of its request, and of no other", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* withKey("dead")(thread(freya))
      yield* unanswer("dead")
      yield* loseInstance
      assertProblem(yield* withKey("dead")(thread(freya, "Another")), IdempotencyKeyReused)
      assert.isFalse(isReplayed(yield* withKey("dead")(thread(freya))))
    })
  )

  it.effect("is taken after ten minutes where its connection outlives it, as a pooler keeps those", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* withKey("pooled")(thread(freya))
      yield* unanswer("pooled")
      yield* TestClock.adjust(Duration.minutes(10))
      assertProblem(yield* withKey("pooled")(thread(freya)), IdempotencyKeyInProgress)
      yield* TestClock.adjust(Duration.millis(1))
      const taken = yield* withKey("pooled")(thread(freya))
      assert.isFalse(isReplayed(taken))
      assert.strictEqual(taken.status, 200)
    })
  )
})

layer(People.layer)("what is claimed", (it) => {
  const limits = { abandoned: DateTime.makeUnsafe(0), expired: DateTime.makeUnsafe(0) }

  const claimOf = Effect.fnUntraced(function* (key: string) {
    const { freya } = yield* Cast
    return {
      accountId: AccountId.make(freya.id),
      key,
      fingerprint: new Uint8Array(32),
      token: randomBytes(16),
      at: yield* DateTime.now
    } satisfies Claim
  })

  it.effect("is given back by whoever has claimed it, and not once it is answered", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const claim = yield* claimOf("store")
      assert.deepStrictEqual(yield* store.claim(claim, limits), { _tag: "Granted" })
      yield* store.release({ ...claim, token: randomBytes(16) })
      assert.lengthOf(yield* storedKeys, 1)
      const answer = { _tag: "Withheld", status: 204, madeId: undefined } as const
      const facts = { contentType: "text/plain", location: undefined, etag: undefined }
      const large = { _tag: "Whole", status: 200, ...facts, body: new Uint8Array(largeBodyMin + 1) } as const
      for (const any of [answer, large])
        assert.isFalse(yield* store.keep({ ...claim, token: randomBytes(16) }, any, claim.at))
      assert.isTrue(yield* store.keep(claim, answer, claim.at))
      // The answer to its commit may be lost, so that whoever has claimed it does not know that it is kept.
      yield* store.release(claim)
      const [kept] = yield* storedKeys
      assert.strictEqual(kept?.status, 204)
      assert.isFalse(yield* store.keep(claim, { ...answer, status: 200 }, claim.at))
    })
  )

  it.effect("is claimed by few at a time; those beyond are told that another one has it", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const [first, ...others] = yield* Effect.replicateEffect(claimOf("crowded"), 21)
      assert(first !== undefined)
      const isClaimed = yield* Latch.make()
      const isOver = yield* Latch.make()
      // A claim that is not committed: the database lets others wait.
      const claiming = sql`insert into idempotency_keys
          (account_id, key, fingerprint, claim, claimed_at, backend, backend_at)
        values (${first.accountId}, ${first.key}, ${first.fingerprint}, ${first.token}, now(), pg_backend_pid(),
          clock_timestamp())`
      const claimed = yield* Effect.forkScoped(
        sql.withTransaction(claiming.pipe(Effect.andThen(isClaimed.open), Effect.andThen(isOver.await)))
      )
      yield* isClaimed.await
      const told: Array<Claimed> = []
      const waiting = yield* Effect.forEach(others, (claim) =>
        Effect.forkScoped(
          Effect.tap(store.claim(claim, limits), (found) => Effect.sync(() => told.push(found)))
        )
      )
      // They take one connection together.
      const locked = sql`select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`
      yield* inTime(
        "nobody waited",
        Effect.repeat(Effect.delay(locked, "1 millis"), { until: (found) => found.length > 0 })
      )
      assert.lengthOf(yield* locked, 1)
      assert.deepStrictEqual(told, Array(12).fill({ _tag: "Taken", found: undefined }))
      yield* isOver.open
      yield* Fiber.joinAll([claimed, ...waiting])
      const found = { isSameRequest: true, answer: undefined }
      // The one that waited for the lock cannot read yet what has it.
      assert.deepStrictEqual(told.slice(13), Array(7).fill({ _tag: "Taken", found }))
    })
  )

  it.effect("counts for its day, also when it is given back on the next", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const late = yield* claimOf("late")
      yield* store.claim(late, limits)
      yield* TestClock.adjust(Duration.hours(24))
      yield* store.claim(yield* claimOf("early"), limits)
      yield* store.release(late)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select kept from idempotency_counts`, [{ kept: 1 }])
    })
  )
})
