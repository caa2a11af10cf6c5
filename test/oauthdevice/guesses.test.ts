/** How many wrong codes people can type. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { TooManyUserCodes } from "../../src/domain/oauthdevice/DeviceAuthorisation.ts"
import { guessesMax } from "../../src/domain/oauthdevice/DeviceRules.ts"
import { Devices } from "../../src/domain/oauthdevice/Devices.ts"
import { ok } from "../support/answers.ts"
import { assertUnknown, begin, createDeviceClient, decide, show } from "../support/devices.ts"
import * as People from "../support/people.ts"
import { Cast, grant } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const wrong = "0000-0000"

const started = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* grant(freya, "USE_OAUTH_CLIENTS")
  const { client_id } = yield* createDeviceClient(odin, odin)
  return yield* begin(client_id)
})

const counts = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly name: string; readonly count: number }>`select name, count from oauth_device_guesses`,
    (rows) => Object.fromEntries(rows.map(({ count, name }) => [name, count]))
  )
)

layer(Layer.provideMerge(TestApp.uncached, People.layer))("an account", (it) => {
  it.effect("sends twenty wrong codes in a quarter of an hour, and then no right one either", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const device = yield* started
      for (let n = 0; n < guessesMax.account; n++) {
        assertUnknown(yield* n % 2 === 0 ? show(odin, wrong) : decide(odin, wrong, "deny"))
        yield* TestClock.adjust("10 seconds")
      }
      for (const code of [wrong, device.user_code]) {
        const answer = yield* show(odin, code)
        assertProblem(answer, TooManyUserCodes, { retry_after: 700 })
        assert.strictEqual(answer.headers["retry-after"], "700")
        assertProblem(yield* decide(odin, code), TooManyUserCodes)
        assertProblem(yield* decide(odin, code, "deny"), TooManyUserCodes)
      }
      // Others can.
      ok(yield* show(freya, device.user_code))
      yield* TestClock.adjust("699 seconds")
      assertProblem(yield* show(odin, wrong), TooManyUserCodes, { retry_after: 1 })
      yield* TestClock.adjust("1 second")
      assertUnknown(yield* show(odin, wrong))
      assert.strictEqual((yield* counts)[`account ${odin.id}`], 1)
    })
  )

  it.effect("sends no more of them at the same moment, on two instances", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const answers = yield* Effect.forEach(
        Array(50).keys(),
        (n) =>
          n % 2 === 0
            ? show(freya, wrong)
            : Effect.provideService(decide(freya, wrong), HttpClient.HttpClient, elsewhere),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.lengthOf(refused, 50 - guessesMax.account)
      for (const answer of answers) if (answer.status !== 429) assertUnknown(answer)
    })
  )

  it.effect("can read and decide about its own codes as often as it likes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* TestClock.adjust("15 minutes")
      const device = yield* started
      for (let n = 0; n <= guessesMax.account; n++) ok(yield* show(odin, device.user_code))
      ok(yield* decide(odin, device.user_code))
      for (let n = 0; n <= guessesMax.account; n++) assertUnknown(yield* decide(odin, device.user_code))
      // What can be no code is no guess.
      for (let n = 0; n <= guessesMax.account; n++) assertUnknown(yield* show(odin, "0000"))
      assert.strictEqual((yield* counts)[`account ${odin.id}`], 0)
    })
  )

  it.effect("guesses where it sends a code that another has claimed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* TestClock.adjust("15 minutes")
      const device = yield* started
      ok(yield* show(odin, device.user_code))
      for (let n = 0; n < guessesMax.account; n++) assertUnknown(yield* decide(freya, device.user_code))
      assertProblem(yield* decide(freya, device.user_code), TooManyUserCodes)
      ok(yield* decide(odin, device.user_code))
    })
  )
})

layer(People.layer)("a network", (it) => {
  it.effect("sends a hundred wrong codes of all its accounts in a quarter of an hour", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const device = yield* started
      const sql = yield* SqlClient.SqlClient
      assertUnknown(yield* show(odin, wrong))
      yield* sql`update oauth_device_guesses set count = ${guessesMax.network - 1} where name like 'network %'`
      assertUnknown(yield* show(freya, wrong))
      for (const person of [odin, freya]) {
        assertProblem(yield* show(person, device.user_code), TooManyUserCodes, { retry_after: 900 })
      }
      yield* TestClock.adjust("15 minutes")
      assertUnknown(yield* show(freya, wrong))
    })
  )

  it.effect("and its accounts are forgotten once they count no more", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { forgetOld } = yield* Devices
      yield* TestClock.adjust("14 minutes")
      assertUnknown(yield* show(odin, wrong))
      yield* TestClock.adjust("1 minute")
      yield* forgetOld
      assert.deepStrictEqual(Object.keys(yield* counts), [`account ${odin.id}`])
      yield* TestClock.adjust("14 minutes")
      yield* forgetOld
      assert.deepStrictEqual(yield* counts, {})
    })
  )

  it.effect("has no more in the database, whatever the service counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [name, count] of [
        ["account dc3v1s7khh6uivg000mg", guessesMax.account],
        ["network 192.0.2.1", guessesMax.network]
      ] as const) {
        const insert = (count: number) =>
          sql`insert into oauth_device_guesses (name, count, since) values (${name}, ${count}, 'epoch')`
        assert.strictEqual((yield* Effect.result(insert(count + 1)))._tag, "Failure")
        yield* insert(count)
      }
    })
  )
})
