/** How many mails an address is sent. */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import * as People from "../support/people.ts"
import { enqueue } from "./support.ts"

const isRefused = (address: string) =>
  Effect.map(Effect.result(enqueue(address)), (result) => {
    if (Result.isSuccess(result)) return undefined
    assert.instanceOf(result.failure, MailLimitReached)
    return result.failure instanceof MailLimitReached ? result.failure.metadata.retry_after : 0
  })

const countTo = (address: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{
        readonly n: number
      }>`select count(*)::int as n from email_queue where recipient_address = ${address}`,
      ([row]) => row?.n
    )
  )

layer(People.layer)("an address", (it) => {
  it.effect("is sent five mails in any hour, and whoever asks for the sixth is told when to retry", () =>
    Effect.gen(function* () {
      const address = "freya@example.com"
      for (let n = 0; n < 5; n++) {
        assert.isUndefined(yield* isRefused(address))
        yield* TestClock.adjust("10 minutes")
      }
      assert.strictEqual(yield* isRefused(address), 600)
      // What is refused does not count.
      for (let n = 0; n < 5; n++) assert.strictEqual(yield* isRefused(address), 600)
      assert.isUndefined(yield* isRefused("loki@example.com"))
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* isRefused(address), 1)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* isRefused(address))
      assert.strictEqual(yield* isRefused(address), 600)
      yield* TestClock.adjust("1 hour")
      for (let n = 0; n < 5; n++) assert.isUndefined(yield* isRefused(address))
      assert.strictEqual(yield* isRefused(address), 3600)
    })
  )

  it.effect("is one, however it is spelled", () =>
    Effect.gen(function* () {
      const spellings = [
        "tyr@bücher.example",
        "TYR@bücher.example",
        "tyr@BÜCHER.example",
        "tyr@xn--bcher-kva.example",
        "tyr@bu\u0308cher.example"
      ]
      for (const address of spellings) assert.isUndefined(yield* isRefused(address))
      for (const address of spellings) assert.isNumber(yield* isRefused(address))
      assert.isUndefined(yield* isRefused("tyr@bucher.example"))
    })
  )

  it.effect("is sent no more by many requests at once", () =>
    Effect.gen(function* () {
      const address = "many@example.com"
      const refusals = yield* Effect.all(
        Array.from({ length: 50 }, () => isRefused(address)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        refusals.filter((seconds) => seconds === undefined),
        5
      )
      assert.strictEqual(yield* countTo(address), 5)
    })
  )

  it.effect("is sent no more whoever writes to the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const more = sql`update email_recipients set queued = array_append(queued, now()) where address = 'many@example.com'`
      assert.strictEqual((yield* Effect.flip(more)).reason._tag, "ConstraintError")
    })
  )
})
