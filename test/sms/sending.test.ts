/** The queue of text messages: what is sent, when it is tried again, and what is left of it. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SmsSending } from "../../src/domain/sms/SmsSending.ts"
import { askForCode, codeTo, forgetTexts, phoneMember, textsTo } from "../phone/support.ts"
import { ok } from "../support/answers.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { answering, deliver, sms } from "../support/phones.ts"
import * as Spans from "../support/spans.ts"

const bodies = () =>
  sms.requests.map(({ body }): { readonly to: string; readonly text: string } =>
    JSON.parse(new TextDecoder().decode(body?.bytes))
  )

const begin = Effect.gen(function* () {
  sms.behaviour = answering(200)
  yield* deliver
  yield* forgetTexts
  sms.requests.length = 0
})

const watched = Layer.provideMerge(People.layer, Layer.merge(Logs.layer, Spans.layer))

layer(watched)("a text message", (it) => {
  it.effect("is sent once, and nothing of it is left", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512000001"
      ok(yield* askForCode("vali", number))
      const code = yield* codeTo(number)
      assert.lengthOf(sms.requests, 0)
      yield* deliver
      yield* deliver
      assert.lengthOf(sms.requests, 1)
      assert.deepStrictEqual(Object.keys(bodies()[0] ?? {}), ["to", "text"])
      assert.strictEqual(bodies()[0]?.to, number)
      assert.match(bodies()[0]?.text ?? "", new RegExp(`^${code} is your code for vali`))
      assert.deepStrictEqual(yield* textsTo(number), [])
    })
  )

  it.effect("is tried again after failures, each time with the same key, until it is sent", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512000002"
      ok(yield* askForCode("vidar", number))
      sms.behaviour = answering(503)
      yield* deliver
      yield* deliver
      assert.lengthOf(sms.requests, 1)
      yield* TestClock.adjust("5 seconds")
      yield* deliver
      sms.behaviour = answering(200)
      yield* deliver
      assert.lengthOf(sms.requests, 2)
      yield* TestClock.adjust("15 seconds")
      yield* deliver
      assert.lengthOf(sms.requests, 3)
      assert.lengthOf([...new Set(sms.requests.map(({ headers }) => headers?.["idempotency-key"]))], 1)
      assert.deepStrictEqual(yield* textsTo(number), [])
    })
  )

  it.effect("is given up when it is refused for ever, or after the last try, and nothing of it is left", () =>
    Effect.gen(function* () {
      yield* begin
      const [refused, failing] = ["+491512000003", "+491512000004"]
      ok(yield* askForCode("hod", refused))
      sms.behaviour = answering(400)
      yield* deliver
      assert.deepStrictEqual(yield* textsTo(refused), [])
      ok(yield* askForCode("hel", failing))
      sms.behaviour = answering(500)
      for (let tries = 0; tries < 10; tries++) {
        yield* deliver
        yield* TestClock.adjust("5 minutes")
      }
      assert.lengthOf(sms.requests, 7)
      assert.deepStrictEqual(yield* textsTo(failing), [])
    })
  )

  it.effect("is not sent once its code is no longer valid", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512000005"
      ok(yield* askForCode("ran", number))
      yield* TestClock.adjust("1 hour")
      yield* Effect.flatMap(SmsSending, ({ clean }) => clean)
      yield* deliver
      assert.lengthOf(sms.requests, 0)
      assert.deepStrictEqual(yield* textsTo(number), [])
      yield* TestClock.adjust("23 hours")
      yield* Effect.flatMap(SmsSending, ({ clean }) => clean)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from text_message_counts`, 0)
    })
  )

  it.effect("that another instance has begun to send is left to it for a minute", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512000006"
      ok(yield* askForCode("sif", number))
      const sql = yield* SqlClient.SqlClient
      yield* sql`update text_messages set tries = 1, due_at = due_at + interval '1 minute'`
      yield* deliver
      assert.lengthOf(sms.requests, 0)
      yield* TestClock.adjust("1 minute")
      yield* deliver
      assert.lengthOf(sms.requests, 1)
    })
  )

  it.effect("is put back by an instance that stops, and was then not tried", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512000007"
      ok(yield* askForCode("nanna", number))
      const { follow } = yield* SmsSending
      const arrived = yield* Deferred.make<void>()
      sms.behaviour = Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never)
      const sending = yield* Effect.forkScoped(follow)
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(sending)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select tries from text_messages`, [{ tries: 0 }])
      sms.behaviour = answering(200)
      yield* deliver
      assert.lengthOf(sms.requests, 2)
    })
  )

  it.effect("is in no log and no trace: neither its code nor its number", () =>
    Effect.gen(function* () {
      yield* begin
      const number = "+491512777001"
      yield* phoneMember("bragi", number)
      ok(yield* askForCode("bragi", number))
      const code = yield* codeTo(number)
      sms.behaviour = answering(400, { message: `${number} ${code}` })
      yield* deliver
      const said = [...(yield* Logs.Logs).map(({ text }) => text), ...(yield* Spans.Spans)]
      assert.isAbove(said.length, 20)
      assert.isTrue(said.some((text) => text.includes("A text message was given up")))
      for (const text of said) {
        assert.notInclude(text, number)
        assert.notInclude(text, number.slice(1))
        assert.notMatch(text, new RegExp(`(?<!\\d)${code}(?!\\d)`))
      }
    })
  )
})
