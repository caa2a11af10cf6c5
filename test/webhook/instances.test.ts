/** Several instances deliver each change once. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookDeliveryStore } from "../../src/domain/webhook/WebhookDeliveryStore.ts"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import { open } from "../support/discussion.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  answering,
  create,
  deliver,
  deliveriesOf,
  published,
  receiver,
  layer as service,
  web
} from "./support.ts"

const threads = 24

const utc = (date: Date) => DateTime.makeUnsafe(date)

const inParallel = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const drained = ({ drain, lag }: EventConsumers["Service"]) =>
  drain.pipe(Effect.andThen(lag), Effect.repeat({ while: (behind) => behind > 0 }))

layer(service)("two instances", (it) => {
  it.effect("deliver each change once to each webhook, also after failures", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const other = yield* Layer.build(TestApp.elsewhere({}, web))
      const [one, two] = [yield* receiver(answering(500)), yield* receiver()]
      const { id } = yield* create(odin, one.url, published)
      yield* create(odin, two.url, published)
      for (let thread = 0; thread < threads; thread++) yield* open(odin, `Tide ${thread}`)
      yield* inParallel([drained(yield* EventConsumers), drained(Context.get(other, EventConsumers))])
      const sending = inParallel([
        Effect.flatMap(WebhookSending, ({ drain }) => drain),
        Context.get(other, WebhookSending).drain
      ])
      yield* sending
      assert.deepStrictEqual([one.arrived.length, two.arrived.length], [threads, threads])
      one.behaviour.current = answering(200)
      yield* TestClock.adjust("6 seconds")
      yield* sending
      assert.deepStrictEqual([one.arrived.length, two.arrived.length], [2 * threads, threads])
      for (const { arrived } of [one, two]) {
        assert.lengthOf([...new Set(arrived.map(({ headers }) => headers["webhook-id"]))], threads)
      }
      assert.lengthOf(yield* deliveriesOf(odin, id, "?status=delivered"), threads)
    }).pipe(Effect.scoped)
  )

  it.effect("have four places of a webhook together, which are free again when an instance is gone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from webhooks`
      const { url } = yield* receiver(answering(410))
      yield* create(odin, url, published)
      yield* deliver
      const { take } = yield* WebhookDeliveryStore
      yield* create(odin, url, published)
      for (let thread = 0; thread < 6; thread++) yield* open(odin, `Tide ${thread}`)
      yield* drained(yield* EventConsumers)
      const at = new Date(0)
      const begun = yield* sql<{ readonly now: Date }>`select max(due_at) as now from webhook_deliveries`
      const now = begun[0]?.now ?? at
      const takes = (from: Date) =>
        inParallel(Array.from({ length: 12 }, () => take(utc(from), utc(new Date(from.getTime() + 30_000)))))
      const taken = (yield* takes(now)).flatMap((one) => one ?? [])
      const byWebhook = Map.groupBy(taken, ({ message }) => message.webhookId)
      for (const [, all] of byWebhook) {
        assert.isAtMost(all.length, 4)
        assert.lengthOf([...new Set(all.map(({ id }) => id))], all.length)
      }
      const rest = yield* takes(now)
      const all = [...taken, ...rest.flatMap((one) => one ?? [])]
      assert.lengthOf(all, 8)
      assert.lengthOf([...new Set(all.map(({ id }) => id))], 8)
      assert.deepStrictEqual(
        (yield* takes(new Date(now.getTime() + 29_999))).filter((one) => one !== undefined),
        []
      )
      const again = yield* takes(new Date(now.getTime() + 30_000))
      assert.isNotEmpty(again.filter((one) => one !== undefined))
    }).pipe(Effect.scoped)
  )
})
