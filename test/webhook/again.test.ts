/** What is delivered again, tested, listed and forgotten. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  TooManyWaitingDeliveries,
  WebhookDeliveryNotFound,
  WebhookReplayRangeInvalid,
  WebhookReplayRunning
} from "../../src/domain/webhook/WebhookDelivery.ts"
import { WebhookNotFound, waitingMax } from "../../src/domain/webhook/WebhookRefusal.ts"
import { WebhookReplaying } from "../../src/domain/webhook/WebhookReplaying.ts"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { everyPage } from "../support/lists.ts"
import { nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import {
  type Answering,
  answering,
  begin,
  create,
  deliver,
  deliveriesOf,
  deliveryOf,
  idsOf,
  published,
  layer as service,
  shown,
  tried,
  verified,
  webhooks
} from "./support.ts"

// What happens in a test is not in the minute of another one.
const later = TestClock.adjust("1 minute")
const beginLater = Effect.andThen(later, begin)
const triedLater = (answer: Answering) => Effect.andThen(later, tried(answer))

const replaying = Effect.flatMap(WebhookReplaying, ({ drain }) => drain)

layer(service)("a delivery", (it) => {
  it.effect("is tried at once when somebody asks for it, with the same id and all tries", () =>
    Effect.gen(function* () {
      const { id, odin, receiver, secret } = yield* triedLater(answering(500))
      const [{ id: delivery }] = yield* deliveriesOf(odin, id)
      const retry = odin.post(`${webhooks}/${id}/deliveries/${delivery}/retry`)
      // One that waits for another try has it now.
      assert.deepInclude(ok(yield* retry), { status: "waiting", attempt_count: 1 })
      yield* deliver
      assert.lengthOf(receiver.arrived, 2)
      receiver.behaviour.current = answering(200)
      yield* TestClock.adjust("6 seconds")
      yield* deliver
      // So has one that was delivered.
      const retried = ok(yield* retry)
      assert.deepInclude(retried, { status: "waiting", attempt_count: 3 })
      assert.notProperty(retried, "ended_at")
      assert.lengthOf(retried.attempts, 3)
      yield* deliver
      assert.lengthOf(receiver.arrived, 4)
      assert.lengthOf([...new Set(receiver.arrived.map(({ headers }) => headers["webhook-id"]))], 1)
      for (const arrived of receiver.arrived) verified(arrived, secret)
      assert.deepInclude(yield* deliveryOf(odin, id, delivery), { status: "delivered", attempt_count: 4 })
      for (const unknown of [nobody, "hello"]) {
        const path = `${webhooks}/${id}/deliveries/${unknown}`
        assertProblem(yield* odin.get(path), WebhookDeliveryNotFound, { delivery_id: unknown })
        assertProblem(yield* odin.post(`${path}/retry`), WebhookDeliveryNotFound, { delivery_id: unknown })
        const elsewhere = `${webhooks}/${unknown}/deliveries/${delivery}`
        assertProblem(yield* odin.get(elsewhere), WebhookNotFound, { webhook_id: unknown })
        assertProblem(yield* odin.post(`${elsewhere}/retry`), WebhookNotFound, { webhook_id: unknown })
      }
      const other = yield* create(odin, receiver.url)
      const foreign = `${webhooks}/${other.id}/deliveries/${delivery}`
      assertProblem(yield* odin.get(foreign), WebhookDeliveryNotFound)
      assertProblem(yield* odin.post(`${foreign}/retry`), WebhookDeliveryNotFound)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its last twenty attempts", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id } = yield* create(odin, receiver.url, published)
      yield* open(odin, "Tide")
      yield* deliver
      const [{ id: delivery }] = yield* deliveriesOf(odin, id)
      for (let attempt = 2; attempt <= 22; attempt++) {
        ok(yield* odin.post(`${webhooks}/${id}/deliveries/${delivery}/retry`))
        yield* TestClock.adjust("1 second")
        yield* deliver
      }
      const { attempt_count, attempts } = yield* deliveryOf(odin, id, delivery)
      assert.deepStrictEqual([attempt_count, attempts.length], [22, 20])
      assert.isBelow(Date.parse(attempts[0].at), Date.parse(attempts[19].at))
    }).pipe(Effect.scoped)
  )

  it.effect("is not tried by two at the same time, whoever asks for it", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id } = yield* create(odin, receiver.url, published)
      yield* open(odin, "Tide")
      yield* Effect.ignore(deliver)
      const [{ id: delivery }] = yield* deliveriesOf(odin, id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update webhook_deliveries set status = 'waiting', ended_at = null, place = 1,
        due_at = ${new Date((yield* Clock.currentTimeMillis) + 30_000)}`
      ok(yield* odin.post(`${webhooks}/${id}/deliveries/${delivery}/retry`))
      yield* deliver
      assert.lengthOf(receiver.arrived, 1)
      yield* TestClock.adjust("30 seconds")
      yield* deliver
      assert.lengthOf(receiver.arrived, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is listed by its status, newest first, on pages", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id } = yield* create(odin, receiver.url, published)
      for (let thread = 0; thread < 60; thread++) {
        if (thread === 57) receiver.behaviour.current = answering(410)
        yield* open(odin, `Tide ${thread}`)
        if (thread % 20 === 19 || thread === 56) yield* deliver
      }
      const path = `${webhooks}/${id}/deliveries`
      const { counts, found } = yield* everyPage(odin, path, "deliveries")
      assert.deepStrictEqual(counts, [50, 10])
      const ids = found.map((one: { readonly id: string }) => one.id)
      assert.deepStrictEqual(ids, ids.toSorted().reverse())
      for (const [status, number] of [
        ["delivered", 57],
        ["failed", 1],
        ["waiting", 2]
      ] as const) {
        const of = yield* everyPage(odin, `${path}?status=${status}`, "deliveries")
        assert.lengthOf(of.found, number, status)
      }
      assertInvalid(yield* odin.get(`${path}?status=other`), "query status")
      assertProblem(yield* odin.get(`${webhooks}/${nobody}/deliveries`), WebhookNotFound)
    }).pipe(Effect.scoped)
  )

  it.effect("is forgotten after thirty days", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id } = yield* create(odin, receiver.url, published)
      yield* open(odin, "Tide")
      yield* deliver
      const { clean } = yield* WebhookSending
      yield* TestClock.adjust("30 days")
      yield* clean
      assert.lengthOf(yield* deliveriesOf(odin, id), 1)
      yield* TestClock.adjust("1 second")
      yield* clean
      assert.deepStrictEqual(yield* deliveriesOf(odin, id), [])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select from webhook_attempts`, [])
    }).pipe(Effect.scoped)
  )

  it.effect("of which a hundred thousand wait disables its webhook, and none is added by hand", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id } = yield* create(odin, receiver.url, published)
      yield* open(odin, "Tide")
      yield* deliver
      const [{ id: delivery }] = yield* deliveriesOf(odin, id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update webhook_totals set deliveries = ${waitingMax} where status = 'waiting'`
      const retry = yield* odin.post(`${webhooks}/${id}/deliveries/${delivery}/retry`)
      assertProblem(retry, TooManyWaitingDeliveries, { maximum: waitingMax })
      yield* open(odin, "More")
      yield* deliver
      assert.deepInclude(yield* shown(odin, id), {
        active: false,
        disabled_reason: "overflow",
        waiting: waitingMax
      })
      assert.lengthOf(yield* deliveriesOf(odin, id), 1)
      const refused = yield* Effect.exit(
        sql`update webhook_totals set deliveries = ${waitingMax + 1} where status = 'waiting'`
      )
      assert.strictEqual(refused._tag, "Failure")
    }).pipe(Effect.scoped)
  )
})

layer(service)("a test", (it) => {
  it.effect("is sent at once, and its attempt answered and kept", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const { id, secret } = yield* create(odin, receiver.url, { ...published, active: false })
      const test = odin.post(`${webhooks}/${id}/test`)
      const attempt = ok(yield* test)
      assert.deepStrictEqual(attempt, { at: attempt.at, milliseconds: 0, status: 200, answer: "ok" })
      const [arrived] = receiver.arrived
      assert.isDefined(arrived)
      const body = verified(arrived, secret)
      assert.deepStrictEqual(body, {
        type: "Test",
        timestamp: attempt.at,
        data: { event: "Test", webhook_id: id }
      })
      const [delivery] = yield* deliveriesOf(odin, id)
      assert.deepInclude(delivery, { type: "Test", status: "delivered", message_id: delivery.id })
      assert.strictEqual(arrived.headers["webhook-id"], delivery.id)
      assert.deepStrictEqual((yield* deliveryOf(odin, id, delivery.id)).attempts, [attempt])
      assert.isDefined((yield* shown(odin, id)).last_success_at)
      receiver.behaviour.current = answering(410)
      assert.strictEqual(ok(yield* test).status, 410)
      const webhook = yield* shown(odin, id)
      assert.notProperty(webhook, "failing_since")
      assert.notProperty(webhook, "disabled_reason")
      // Once it was asked for again, it is delivered like everything else.
      ok(yield* odin.patch(`${webhooks}/${id}`, { active: true }))
      ok(yield* odin.post(`${webhooks}/${id}/deliveries/${delivery.id}/retry`))
      yield* deliver
      assert.lengthOf(receiver.arrived, 3)
      assert.strictEqual(receiver.arrived[2]?.body, arrived.body)
      assertProblem(yield* odin.post(`${webhooks}/${nobody}/test`), WebhookNotFound)
    }).pipe(Effect.scoped)
  )
})

layer(service)("a replay", (it) => {
  it.effect("delivers what happened in a range of time, what was delivered with the same id", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const before = yield* open(odin, "Before")
      yield* TestClock.adjust("1 minute")
      const from = new Date(yield* Clock.currentTimeMillis)
      const early = yield* open(odin, "Early")
      const { id, secret } = yield* create(odin, receiver.url, published)
      const told = yield* open(odin, "Told")
      yield* deliver
      const to = new Date(yield* Clock.currentTimeMillis)
      yield* TestClock.adjust("1 minute")
      const after = yield* open(odin, "After")
      yield* deliver
      assert.deepStrictEqual(idsOf(receiver.arrived), [told.id, after.id])
      const replay = (range: object) => odin.post(`${webhooks}/${id}/replay`, range)
      const begun = ok(yield* replay({ from: from.toISOString(), to: to.toISOString() }))
      assert.deepStrictEqual(begun.replaying, { from: from.toISOString(), to: to.toISOString() })
      assertProblem(yield* replay({ from, to }), WebhookReplayRunning)
      yield* replaying
      assert.notProperty(yield* shown(odin, id), "replaying")
      yield* deliver
      assert.deepStrictEqual(idsOf(receiver.arrived).slice(2).toSorted(), [early.id, told.id].toSorted())
      const [first, , ...again] = receiver.arrived
      const same = again.find(({ body }) => body === first?.body)
      assert.strictEqual(same?.headers["webhook-id"], first?.headers["webhook-id"])
      for (const arrived of receiver.arrived) verified(arrived, secret)
      assert.lengthOf(yield* deliveriesOf(odin, id), 3)
      assert.notInclude(idsOf(receiver.arrived), before.id)
      assertProblem(yield* replay({ from: to, to: new Date(0) }), WebhookReplayRangeInvalid)
      assertInvalid(yield* replay({ from: "yesterday" }), "body from", "body to")
      assertProblem(yield* odin.post(`${webhooks}/${nobody}/replay`, { from, to }), WebhookNotFound)
    }).pipe(Effect.scoped)
  )

  it.effect("goes on in steps while few deliveries wait, and only for an active webhook", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* beginLater
      const from = new Date(yield* Clock.currentTimeMillis)
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into event_log (occurred_at, event)
        select ${from}, jsonb_build_object('_tag', 'CategoryUpdated', 'id', lpad(n::text, 20, '0'), 'slug', 'tide')
        from generate_series(1, 2600) n`
      const { id } = yield* create(odin, receiver.url, { events: ["EventCategoryUpdated"], active: false })
      ok(yield* odin.post(`${webhooks}/${id}/replay`, { from, to: from }))
      yield* replaying
      assert.strictEqual((yield* shown(odin, id)).waiting, 0)
      ok(yield* odin.patch(`${webhooks}/${id}`, { active: true }))
      yield* replaying
      const { replaying: still, waiting } = yield* shown(odin, id)
      assert.isDefined(still)
      assert.isAtLeast(waiting, 1000)
      assert.isBelow(waiting, 1500)
      for (let round = 0; round < 4; round++) {
        yield* sql`update webhook_deliveries set status = 'delivered', due_at = null, ended_at = now()
          where status = 'waiting'`
        yield* replaying
      }
      assert.notProperty(yield* shown(odin, id), "replaying")
      assert.deepStrictEqual(
        yield* sql`select count(*)::int as deliveries, count(distinct message_id)::int as messages
          from webhook_deliveries`,
        [{ deliveries: 2600, messages: 2600 }]
      )
    }).pipe(Effect.scoped)
  )
})
