/** The limits on guessing passwords: for each place that guesses come from. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AttemptLimit } from "../../src/domain/authentication/AttemptLimit.ts"
import { PasswordWrong, TooManyAttempts } from "../../src/domain/authentication/Password.ts"
import { ClientNetwork } from "../../src/domain/shared/Client.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import type { Answer } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, call, password, personIn, signIn, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const wrong = "not the password"

const times = <A, E, R>(
  count: number,
  effect: Effect.Effect<A, E, R>,
  concurrency: number | "unbounded" = 1
) => Effect.forEach(Array(count).fill(effect), (one: typeof effect) => one, { concurrency })

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).sort()

const assertAll = (answers: ReadonlyArray<Answer>, status: number) =>
  assert.deepStrictEqual([...new Set(statuses(answers))], [status])

const tooMany = (answer: Answer, seconds: number) => {
  assertProblem(answer, TooManyAttempts, { retry_after: seconds })
  assert.strictEqual(answer.headers["retry-after"], String(seconds))
}

layer(People.layer)("guessing a password", (it) => {
  it.effect("is refused after ten wrong attempts, until fifteen minutes have passed since the first", () =>
    Effect.gen(function* () {
      for (const answer of yield* times(9, signIn("freya", wrong))) assertProblem(answer, PasswordWrong)
      yield* TestClock.adjust("5 minutes")
      assertProblem(yield* signIn("FREYA", wrong), PasswordWrong)
      tooMany(yield* signIn("freya", wrong), 600)
      tooMany(yield* signIn("freya"), 600)
      tooMany(
        yield* call("POST", "/api/auth/password/signin", {
          body: { identifier: "freya", token: password },
          headers: { "x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9" }
        }),
        600
      )
      assert.strictEqual((yield* signIn("loki")).status, 200)

      yield* TestClock.adjust("9 minutes")
      tooMany(yield* signIn("freya"), 60)
      yield* TestClock.adjust("59 seconds")
      tooMany(yield* signIn("freya"), 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* signIn("freya")).status, 200)
    })
  )

  it.effect("never keeps an owner who is signed in from changing the password", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      yield* times(10, signIn("vali", wrong))
      tooMany(yield* signIn("vali"), 900)
      const changed = yield* vali.patch("/auth/password", { old: password, new: "another password" })
      assert.strictEqual(changed.status, 200, changed.text)
      tooMany(yield* signIn("vali", "another password"), 900)
    })
  )

  it.effect("counts for each session that changes the password, and not for invalid requests", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const stolen = personIn(yield* signIn("hel"))
      yield* times(20, signIn("hel", "short"))
      yield* times(20, stolen.patch("/auth/password", { old: wrong, new: "short" }))
      const guess = stolen.patch("/auth/password", { old: wrong, new: "the thief's password" })
      for (const answer of yield* times(10, guess)) assertProblem(answer, PasswordWrong)
      tooMany(yield* guess, 900)
      tooMany(yield* stolen.patch("/auth/password", { old: password, new: "the thief's password" }), 900)
      assert.strictEqual((yield* signIn("hel")).status, 200)
      for (let round = 0; round < 3; round++) {
        yield* times(9, hel.patch("/auth/password", { old: wrong, new: password }))
        assert.strictEqual((yield* hel.patch("/auth/password", { old: password, new: password })).status, 200)
      }
    })
  )

  it.effect("resets the count with a right attempt", () =>
    Effect.gen(function* () {
      yield* signUp("baldur")
      for (let round = 0; round < 3; round++) {
        yield* times(9, signIn("baldur", wrong))
        assert.strictEqual((yield* signIn("baldur")).status, 200)
      }
    })
  )

  it.effect("checks ten of thirty concurrent wrong attempts, also when the window has just passed", () =>
    Effect.gen(function* () {
      yield* signUp("heimdall")
      const expected = [...Array(10).fill(401), ...Array(20).fill(429)]
      const burst = times(30, signIn("heimdall", wrong), "unbounded")
      assert.deepStrictEqual(statuses(yield* burst), expected)
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(statuses(yield* burst), expected)
    })
  )

  it.effect("accepts thirty concurrent right attempts", () =>
    Effect.gen(function* () {
      yield* signUp("sif")
      assertAll(yield* times(30, signIn("sif"), "unbounded"), 200)
    })
  )

  it.effect("counts over all instances of the service", () =>
    Effect.gen(function* () {
      const hodr = yield* signUp("hodr")
      const instances = yield* Effect.forEach(Array(3).keys(), () =>
        Effect.map(Layer.build(Layer.fresh(AttemptLimit.layer)), (context) =>
          AttemptLimit.pipe(Effect.provide(context))
        )
      )
      let verdicts = 0
      const attempt = Effect.sync(() => {
        verdicts += 1
        return false
      })
      const source = { _tag: "Network", network: ClientNetwork.make("203.0.113.1") } as const
      yield* Effect.forEach(
        instances,
        (instance) =>
          Effect.flatMap(instance, ({ guard }) =>
            times(
              10,
              Effect.exit(guard(AccountId.make(hodr.id), source, (work) => work, attempt)),
              "unbounded"
            )
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(verdicts, 10)
    })
  )
})

const proxies = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))

layer(People.withCast(TestApp.layerWhere({ trustedProxies: proxies })))(
  "guesses from many networks",
  (it) => {
    const post = (path: string, address: string, identifier: string, token: string) =>
      call("POST", `/api/auth/password${path}`, {
        body: { identifier, token },
        headers: { "x-forwarded-for": address }
      })
    const signInFrom = (address: string, handle: string, token = password) =>
      post("/signin", address, handle, token)

    const stranger = (number: number) => `198.51.100.${number}`
    const home = "203.0.113.1"

    /** Signs up from home. */
    const settle = (handle: string) =>
      Effect.map(post("/signup", home, handle, password), ({ status }) => assert.strictEqual(status, 200))

    const rows = SqlClient.SqlClient.use((sql) =>
      Effect.map(
        sql<{ readonly source: string }>`select source from password_attempts order by source`,
        (rows) => rows.map(({ source }) => source)
      )
    )

    it.effect("lock out the networks they come from, and nobody else", () =>
      Effect.gen(function* () {
        yield* settle("baldur")
        assertAll(yield* times(10, signInFrom(stranger(1), "baldur", wrong)), 401)
        tooMany(yield* signInFrom(stranger(1), "baldur"), 900)
        assert.strictEqual((yield* signInFrom(home, "baldur")).status, 200)
        assert.strictEqual((yield* signInFrom("203.0.113.77", "baldur")).status, 200)
        tooMany(yield* signInFrom(stranger(1), "baldur"), 900)
      })
    )

    it.effect("are a hundred together, which networks that have signed in do not share", () =>
      Effect.gen(function* () {
        yield* settle("sif")
        const cafe = "203.0.113.88"
        assert.strictEqual((yield* signInFrom(cafe, "sif")).status, 200)
        for (let number = 1; number <= 10; number++) {
          assertAll(yield* times(10, signInFrom(stranger(number), "sif", wrong)), 401)
        }
        const before = (yield* rows).length
        tooMany(yield* signInFrom(stranger(11), "sif"), 900)
        tooMany(yield* signInFrom(stranger(12), "sif", wrong), 900)
        assert.strictEqual((yield* rows).length, before)
        for (const known of [home, cafe]) {
          assertAll(yield* times(9, signInFrom(known, "sif", wrong)), 401)
          assert.strictEqual((yield* signInFrom(known, "sif")).status, 200)
          assertAll(yield* times(10, signInFrom(known, "sif", wrong)), 401)
          tooMany(yield* signInFrom(known, "sif"), 900)
        }
        yield* TestClock.adjust("15 minutes")
        assert.strictEqual((yield* signInFrom(stranger(11), "sif")).status, 200)
      })
    )

    it.effect("count for all strangers only while their own network has attempts left", () =>
      Effect.gen(function* () {
        yield* settle("hodr")
        yield* times(150, signInFrom(stranger(1), "hodr", wrong))
        assert.strictEqual((yield* signInFrom(stranger(2), "hodr")).status, 200)
      })
    )

    it.effect("do not count if they are right", () =>
      Effect.gen(function* () {
        yield* settle("bragi")
        const answers = yield* Effect.forEach(Array(120).keys(), (number) =>
          signInFrom(`198.51.100.${number}`, "bragi")
        )
        assertAll(answers, 200)
      })
    )

    it.effect("count once for the addresses that a provider gives to one customer", () =>
      Effect.gen(function* () {
        yield* settle("idun")
        yield* Effect.forEach(Array(10).keys(), (number) =>
          signInFrom(`2001:db8:1:2::${number + 1}`, "idun", wrong)
        )
        tooMany(yield* signInFrom("2001:db8:1:2:ffff::1", "idun"), 900)
        assert.strictEqual((yield* signInFrom("2001:db8:1:3::1", "idun")).status, 200)
      })
    )

    it.effect("are forgotten after their window, and networks ninety days after the last sign-in", () =>
      Effect.gen(function* () {
        const { forgetOld } = yield* AttemptLimit
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from password_attempts`
        yield* TestClock.adjust("1 day")
        yield* settle("mimir")
        yield* signInFrom(stranger(1), "mimir", wrong)
        yield* forgetOld
        assert.deepStrictEqual(yield* rows, [`network ${stranger(1)}`, `network ${home}`, "strangers"])
        yield* TestClock.adjust("15 minutes")
        yield* forgetOld
        assert.deepStrictEqual(yield* rows, [`network ${home}`])

        yield* TestClock.adjust("89 days")
        assert.strictEqual((yield* signInFrom(home, "mimir")).status, 200)
        yield* TestClock.adjust("89 days")
        yield* forgetOld
        assert.deepStrictEqual(yield* rows, [`network ${home}`])
        yield* TestClock.adjust("1 day")
        yield* signInFrom(home, "mimir", wrong)
        assert.deepStrictEqual(yield* rows, [`network ${home}`, "strangers"])
        yield* TestClock.adjust("15 minutes")
        yield* forgetOld
        assert.deepStrictEqual(yield* rows, [])
      })
    )
  }
)

layer(People.layer)("the count of a session", (it) => {
  it.effect("is stored without its token", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answer = yield* freya.patch("/auth/password", { old: wrong, new: password })
      assertProblem(answer, PasswordWrong)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly source: string }>`select source from password_attempts
        where account_id = ${freya.id} and failures > 0`
      assert.strictEqual(rows.length, 1)
      assert.notInclude(rows[0]?.source ?? "", freya.cookie ?? "none")
    })
  )
})
