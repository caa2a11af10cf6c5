/** How many mails an address is sent. */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import { type Client, ClientNetwork } from "../../src/domain/shared/Client.ts"
import * as People from "../support/people.ts"
import { enqueue } from "./support.ts"

const known = (n: number): Client => ({ network: ClientNetwork.make(`203.0.113.${n}`), isKnown: true })

const isRefused = (address: string, client?: Client) =>
  Effect.map(Effect.result(enqueue(address, {}, client)), (result) => {
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

  it.effect("is sent twenty mails in any hour at most, for however many networks", () =>
    Effect.gen(function* () {
      const from = (n: number) => isRefused("each@example.com", known(n))
      for (let n = 0; n < 20; n++) {
        // Five for each of four networks; the first when everything else is a minute later.
        assert.isUndefined(yield* from(Math.floor(n / 5)))
        if (n === 0) yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(yield* from(9), 3540)
      // Who has had its five waits for those, the others for any of the twenty.
      assert.strictEqual(yield* from(3), 3600)
      yield* TestClock.adjust("59 minutes")
      assert.isUndefined(yield* from(9))
      assert.strictEqual(yield* from(9), 60)
      assert.isUndefined(yield* isRefused("another@example.com", known(9)))
    })
  )

  it.effect("is free for who has had too many as soon as one of theirs is old enough", () =>
    Effect.gen(function* () {
      const from = (n: number) => isRefused("own@example.com", known(n))
      assert.isUndefined(yield* from(1))
      yield* TestClock.adjust("1 minute")
      for (let n = 0; n < 5; n++) assert.isUndefined(yield* from(2))
      assert.strictEqual(yield* from(2), 3600)
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
