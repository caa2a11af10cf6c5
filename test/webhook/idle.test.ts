/** Where there is no active webhook, no event is read for them. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { consumerName } from "../../src/domain/webhook/WebhookConsumer.ts"
import { makePositions } from "../../src/persistence/event/ConsumerPositions.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, drainEvents, signUp } from "../support/people.ts"
import { create, layer as service, webhooks } from "./support.ts"

const url = "https://hooks.example/"

const isIdle = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly is_idle: boolean }>`select is_idle from event_consumers where name = ${consumerName}`,
    ([row]) => row?.is_idle
  )
)

/** What a look for something to read says of the consumer, after something was written. */
const look = Effect.gen(function* () {
  const { odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* drainEvents
  yield* open(odin, "Tide")
  const { consumers } = yield* EventConsumers
  const consumer = consumers.filter(({ name }) => name === consumerName)
  const found = Effect.flatMap(DateTime.now, (now) => makePositions(sql).look(consumer, now))
  // A transaction in another database delays events for a moment.
  const [behind] = yield* Effect.repeat(found, { until: ({ length }) => length > 0 })
  const [position] = yield* sql<{
    readonly passed: boolean
  }>`select c.event_id = (select max(id) from event_log) as passed
    from event_consumers c where name = ${consumerName}`
  return { isDue: behind?.is_due, hasPassed: position?.passed }
})

layer(service)("without an active webhook", (it) => {
  it.effect("events are passed unread, by the look for all consumers", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assert.deepStrictEqual(yield* look, { isDue: false, hasPassed: true })
      const { id } = yield* create(odin, url)
      assert.deepStrictEqual(yield* look, { isDue: true, hasPassed: false })
      ok(yield* odin.patch(`${webhooks}/${id}`, { active: false }))
      assert.deepStrictEqual(yield* look, { isDue: false, hasPassed: true })
    })
  )

  it.effect("the consumer is idle, whatever became of those that there were", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from webhooks`
      assert.isTrue(yield* isIdle)
      const [one, two] = [yield* create(odin, url), yield* create(odin, url, { active: false })]
      assert.isFalse(yield* isIdle)
      ok(yield* odin.patch(`${webhooks}/${two.id}`, { active: true }))
      yield* odin.delete(`${webhooks}/${one.id}`)
      assert.isFalse(yield* isIdle)
      yield* sql`update webhooks set is_active = false, disabled_reason = 'gone'`
      assert.isTrue(yield* isIdle)
      const person = yield* signUp("vidar")
      yield* sql`update webhooks set is_active = true, disabled_reason = null, account_id = ${person.id}`
      assert.isFalse(yield* isIdle)
      yield* sql`delete from accounts where id = ${person.id}`
      assert.isTrue(yield* isIdle)
    })
  )
})
