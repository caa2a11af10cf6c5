/** Strangers who ask for messages and guess codes, from many networks and at the same time. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PhoneCodeWrong } from "../../src/domain/authentication/PhoneSignIn.ts"
import { TextLimitReached } from "../../src/domain/sms/SmsRefusal.ts"
import { type Answer, ok } from "../support/answers.ts"
import { otherThan } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { codeTo, forgetTexts, from, lastTextTo, textsTo } from "./support.ts"

const proxies = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))
const behindProxies = People.withCast(TestApp.layerWhere({ trustedProxies: proxies }))

const home = "203.0.113.1"
const stranger = (number: number) => `198.51.100.${number}`

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const of = (answers: ReadonlyArray<Answer>, status: number) =>
  answers.filter((answer) => answer.status === status)

/** Signs up from home; no message counts any more then. */
const settle = Effect.fnUntraced(function* (handle: string, number: string) {
  ok(yield* from(home).ask(handle, number))
  ok(yield* from(home).sendBack(handle, yield* codeTo(number)))
  yield* forgetTexts
})

layer(Layer.provideMerge(TestApp.uncachedWhere({ trustedProxies: proxies }), behindProxies))(
  "messages",
  (it) => {
    it.effect("go to a number five times in a day, whoever asks, at the same time as well", () =>
      Effect.gen(function* () {
        const number = "+491512000001"
        yield* settle("vali", number)
        const handles = ["vali", "nobody-yet", "odins", "vali", "freyas"]
        const answers = yield* together(
          Array.from({ length: 50 }, (_, n) => from(stranger(n)).ask(handles[n % 5] ?? "", number))
        )
        assert.lengthOf(of(answers, 200), 5)
        for (const answer of of(answers, 403))
          assertProblem(answer, TextLimitReached, { retry_after: 86_400 })
        assert.lengthOf(yield* textsTo(number), 6)
        yield* TestClock.adjust("23 hours")
        assertProblem(yield* from(home).ask("vali", number), TextLimitReached, { retry_after: 3600 })
        yield* TestClock.adjust("1 hour")
        ok(yield* from(home).ask("vali", number))
        yield* forgetTexts
      })
    )

    it.effect("are the same few for a number that nobody has", () =>
      Effect.gen(function* () {
        const number = "+491512000002"
        const answers = yield* together(
          Array.from({ length: 50 }, (_, n) => from(stranger(n)).ask("nobody-here", number))
        )
        assert.lengthOf(of(answers, 200), 5)
        for (const answer of of(answers, 403))
          assertProblem(answer, TextLimitReached, { retry_after: 86_400 })
        yield* forgetTexts
      })
    )

    it.effect(
      "are asked for from a network twenty times in a day, whatever for, at the same time as well",
      () =>
        Effect.gen(function* () {
          const answers = yield* together(
            Array.from({ length: 50 }, (_, n) => from(stranger(1)).ask(`person-${n}`, `+4915120001${10 + n}`))
          )
          assert.lengthOf(of(answers, 200), 20)
          for (const answer of of(answers, 403))
            assertProblem(answer, TextLimitReached, { retry_after: 86_400 })
          // What was refused has left nothing behind, and others are not affected.
          const sql = yield* SqlClient.SqlClient
          assert.lengthOf(yield* sql`select from phone_numbers where handle like 'person-%'`, 20)
          ok(yield* from(stranger(2)).ask("person-of-elsewhere", "+491512000199"))
          yield* TestClock.adjust("1 day")
          ok(yield* from(stranger(1)).ask("person-of-tomorrow", "+491512000198"))
          yield* forgetTexts
        })
    )

    it.effect("that strangers ask for end no code that somebody else waits for", () =>
      Effect.gen(function* () {
        const number = "+491512000003"
        yield* settle("idun", number)
        ok(yield* from(home).ask("idun", number))
        const code = yield* codeTo(number)
        ok(yield* from(stranger(3)).ask("idun", number))
        assert.strictEqual(yield* codeTo(number), code)
        ok(yield* from(stranger(4)).ask("idun", "+491512000004"))
        ok(yield* from(home).sendBack("idun", code))
        // The same for somebody who signs up.
        const fresh = "+491512000005"
        ok(yield* from(home).ask("tyra", fresh))
        const first = yield* codeTo(fresh)
        ok(yield* from(stranger(3)).ask("tyra", fresh))
        assert.strictEqual(yield* codeTo(fresh), first)
        const others = yield* together(
          Array.from({ length: 10 }, (_, n) => from(stranger(n)).ask("tyra", `+4915120002${10 + n}`))
        )
        for (const answer of others) ok(answer)
        assert.match(yield* lastTextTo("+491512000210"), /^Somebody else has the handle tyra /)
        ok(yield* from(home).sendBack("tyra", first))
        yield* forgetTexts
      })
    )

    it.effect("begin one sign-up with a handle of many at the same time, whose code is good", () =>
      Effect.gen(function* () {
        const numbers = Array.from({ length: 20 }, (_, n) => `+4915120003${10 + n}`)
        const answers = yield* together(numbers.map((number, n) => from(stranger(n)).ask("wanted", number)))
        for (const answer of answers) ok(answer)
        const texts = (yield* Effect.forEach(numbers, textsTo)).flat()
        const codes = texts.flatMap((text) => /^(\d{6}) is your code/.exec(text)?.[1] ?? [])
        assert.lengthOf(codes, 1)
        ok(yield* from(home).sendBack("wanted", codes[0] ?? ""))
        yield* forgetTexts
      })
    )
  }
)

layer(behindProxies)("guesses at a code", (it) => {
  it.effect("are five of a network, of fifty at the same time, for who signs in and who signs up", () =>
    Effect.gen(function* () {
      const [known, fresh] = ["+491512000001", "+491512000002"]
      yield* settle("hod", known)
      for (const [handle, number] of [
        ["hod", known],
        ["newcomer", fresh]
      ] as const) {
        ok(yield* from(home).ask(handle, number))
        const code = yield* codeTo(number)
        const wrong = from(stranger(1)).sendBack(handle, otherThan(code))
        for (const answer of yield* together(Array.from({ length: 50 }, () => wrong)))
          assertProblem(answer, PhoneCodeWrong)
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{
          readonly guesses: ReadonlyArray<string>
        }>`select c.guesses from phone_codes c
          join phone_numbers p on p.id = c.phone_id where p.phone_number = ${number}`
        assert.lengthOf(row?.guesses ?? [], 5)
        assertProblem(yield* from(stranger(1)).sendBack(handle, code), PhoneCodeWrong)
        ok(yield* from(home).sendBack(handle, code))
      }
      yield* forgetTexts
    })
  )

  it.effect("of strangers are twenty in all, and use up none of who waits for the code", () =>
    Effect.gen(function* () {
      const number = "+491512000003"
      ok(yield* from(home).ask("tyra", number))
      const code = yield* codeTo(number)
      yield* together(
        Array.from({ length: 50 }, (_, n) => from(stranger(n)).sendBack("tyra", otherThan(code)))
      )
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly guesses: ReadonlyArray<string>
      }>`select c.guesses from phone_codes c
        join phone_numbers p on p.id = c.phone_id where p.phone_number = ${number}`
      assert.lengthOf(row?.guesses ?? [], 20)
      assertProblem(yield* from(stranger(200)).sendBack("tyra", code), PhoneCodeWrong)
      ok(yield* from(home).sendBack("tyra", code))
      yield* forgetTexts
    })
  )
})
