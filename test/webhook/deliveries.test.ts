/** What is delivered to webhooks, how it looks, and what becomes of what fails. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { drainEvents } from "../support/people.ts"
import {
  answering,
  assertNames,
  begin,
  create,
  deliver,
  deliveriesOf,
  deliveryOf,
  published,
  receiver,
  layer as service,
  shown,
  signaturesOf,
  signatureWith,
  tried,
  verified,
  webhooks
} from "./support.ts"

layer(service)("a change", (it) => {
  it.effect("is delivered once, signed, with its name, its time and what it says", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* begin
      const { id, secret } = yield* create(odin, receiver.url)
      const thread = yield* open(odin, "Tide")
      assert.lengthOf(receiver.arrived, 0)
      yield* deliver
      yield* deliver
      const bodies = receiver.arrived.map((one) => verified(one, secret))
      const published = bodies.find(({ type }) => type === "EventThreadPublished")
      assert.deepStrictEqual(published, {
        type: "EventThreadPublished",
        timestamp: published?.timestamp ?? "",
        data: { event: "EventThreadPublished", id: thread.id }
      })
      assert.match(published?.timestamp ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const [arrived] = receiver.arrived
      assert.deepInclude(arrived, { method: "POST", url: "/hook" })
      assert.deepInclude(arrived?.headers, {
        "content-type": "application/json",
        "user-agent": "forum/1",
        host: `127.0.0.1:${receiver.port}`
      })
      assert.notProperty(arrived?.headers, "authorization")
      assert.notProperty(arrived?.headers, "cookie")
      const ids = receiver.arrived.map(({ headers }) => headers["webhook-id"])
      assert.lengthOf([...new Set(ids)], receiver.arrived.length)
      const deliveries = yield* deliveriesOf(odin, id)
      assert.lengthOf(deliveries, receiver.arrived.length)
      for (const { attempt_count, status } of deliveries) {
        assert.deepStrictEqual([status, attempt_count], ["delivered", 1])
      }
      const { attempts } = yield* deliveryOf(odin, id, deliveries[0].id)
      assert.deepStrictEqual(attempts, [{ at: attempts[0].at, milliseconds: 0, status: 200, answer: "ok" }])
      const webhook = yield* shown(odin, id)
      assert.strictEqual(webhook.waiting, 0)
      assert.isDefined(webhook.last_success_at)
      assert.notProperty(webhook, "failing_since")
    }).pipe(Effect.scoped)
  )

  it.effect("is delivered to those who want it, with the same id to each", () =>
    Effect.gen(function* () {
      const { odin, receiver: one } = yield* begin
      const two = yield* receiver()
      const { secret } = yield* create(odin, one.url, {
        events: ["EventCategoryUpdated", "EventThreadPublished"]
      })
      const other = yield* create(odin, two.url, published)
      yield* open(odin, "Tide")
      yield* deliver
      assertNames(
        one.arrived.map((arrived) => verified(arrived, secret)),
        ["EventThreadPublished"]
      )
      assertNames(
        two.arrived.map((arrived) => verified(arrived, other.secret)),
        ["EventThreadPublished"]
      )
      assert.strictEqual(one.arrived[0]?.headers["webhook-id"], two.arrived[0]?.headers["webhook-id"])
      assert.strictEqual(one.arrived[0]?.body, two.arrived[0]?.body)
      const [arrived] = one.arrived
      assert.isDefined(arrived)
      assert.notInclude(signaturesOf(arrived), signatureWith(other.secret, arrived))
    }).pipe(Effect.scoped)
  )

  it.effect("that happened before is not delivered, nor while the webhook is not active", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* begin
      yield* open(odin, "Before")
      const { id } = yield* create(odin, receiver.url, { events: ["EventThreadPublished"], active: false })
      yield* open(odin, "Meanwhile")
      const set = (active: boolean) => Effect.map(odin.patch(`${webhooks}/${id}`, { active }), ok)
      yield* set(true)
      const told = yield* open(odin, "Told")
      // One that is active already goes on.
      yield* set(true)
      yield* deliver
      yield* set(false)
      yield* open(odin, "Again")
      yield* deliver
      yield* set(true)
      yield* deliver
      assert.deepStrictEqual(
        receiver.arrived.map(({ body }) => JSON.parse(body).data.id),
        [told.id]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("waits while its webhook is not active, and is delivered afterwards", () =>
    Effect.gen(function* () {
      const { id, odin, receiver } = yield* tried(answering(503))
      const patch = (body: object) => Effect.map(odin.patch(`${webhooks}/${id}`, body), ok)
      assert.strictEqual((yield* patch({ active: false })).waiting, 1)
      receiver.behaviour.current = answering(200)
      yield* TestClock.adjust("1 hour")
      yield* deliver
      assert.lengthOf(receiver.arrived, 1)
      yield* patch({ active: true, url: `${receiver.url}/elsewhere` })
      yield* deliver
      assert.deepStrictEqual(
        receiver.arrived.map(({ url }) => url),
        ["/hook", "/hook/elsewhere"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is tried again after pauses that grow, with the same id, and then given up", () =>
    Effect.gen(function* () {
      const { id, odin, receiver, secret } = yield* tried(answering(500, "Not now"))
      for (const [tried, seconds] of [5, 60, 300, 1800, 7200, 28_800, 86_400].entries()) {
        const [{ next_attempt_at, status }] = yield* deliveriesOf(odin, id)
        assert.strictEqual(status, "waiting")
        const { at } = (yield* deliveryOf(odin, id, (yield* deliveriesOf(odin, id))[0].id)).attempts.at(-1)
        const pause = (Date.parse(next_attempt_at) - Date.parse(at)) / 1000
        assert.isAtLeast(pause, seconds)
        assert.isAtMost(pause, seconds * 1.1)
        yield* TestClock.adjust(`${seconds - 1} seconds`)
        yield* deliver
        assert.lengthOf(receiver.arrived, tried + 1)
        yield* TestClock.adjust(`${seconds / 10 + 1} seconds`)
        yield* deliver
        assert.lengthOf(receiver.arrived, tried + 2)
      }
      const [{ attempt_count, ended_at, next_attempt_at, status }] = yield* deliveriesOf(odin, id)
      assert.deepStrictEqual([status, attempt_count, next_attempt_at], ["failed", 8, undefined])
      assert.isDefined(ended_at)
      assert.lengthOf([...new Set(receiver.arrived.map(({ headers }) => headers["webhook-id"]))], 1)
      assert.lengthOf([...new Set(receiver.arrived.map(({ body }) => body))], 1)
      assert.lengthOf([...new Set(receiver.arrived.map(({ headers }) => headers["webhook-signature"]))], 8)
      const webhook = yield* shown(odin, id)
      assert.deepInclude(webhook, { active: true, waiting: 0 })
      assert.isDefined(webhook.failing_since)
      assert.match(secret, /^whsec_/)
    }).pipe(Effect.scoped)
  )

  it.effect("is not delivered any more to a receiver that says it is gone, which its account is told", () =>
    Effect.gen(function* () {
      const { id, odin, receiver } = yield* tried(answering(410))
      yield* open(odin, "Later")
      yield* TestClock.adjust("1 hour")
      yield* deliver
      assert.lengthOf(receiver.arrived, 1)
      assert.deepInclude(yield* shown(odin, id), { active: false, disabled_reason: "gone" })
      assert.deepStrictEqual(
        (yield* deliveriesOf(odin, id)).map(({ status }: { readonly status: string }) => status),
        ["failed"]
      )
      const [entry] = ok(yield* odin.get("/admin/audit-events")).events
      assert.deepInclude(entry, {
        type: "webhook_disabled",
        webhook_id: id,
        host: `127.0.0.1:${receiver.port}`,
        account_id: odin.id,
        reason: "gone"
      })
      assert.notProperty(entry, "enacted_by")
      const [notification] = ok(yield* odin.get("/notifications")).notifications
      assert.strictEqual(notification.event, "webhook_disabled")
      const enabled = ok(yield* odin.patch(`${webhooks}/${id}`, { active: true }))
      assert.notProperty(enabled, "disabled_reason")
      assert.notProperty(enabled, "failing_since")
    }).pipe(Effect.scoped)
  )

  it.effect("disables a webhook that has failed for three days", () =>
    Effect.gen(function* () {
      const { id, odin } = yield* tried(answering(500))
      yield* TestClock.adjust("71 hours")
      yield* open(odin, "Later")
      yield* deliver
      assert.isTrue((yield* shown(odin, id)).active)
      yield* TestClock.adjust("1 hour")
      yield* open(odin, "At last")
      yield* deliver
      assert.deepInclude(yield* shown(odin, id), { active: false, disabled_reason: "failing" })
    }).pipe(Effect.scoped)
  )

  it.effect("that is delivered makes an end of the failing", () =>
    Effect.gen(function* () {
      const { id, odin, receiver } = yield* tried(answering(500))
      receiver.behaviour.current = answering(204)
      yield* TestClock.adjust("6 seconds")
      yield* deliver
      const { attempts, status } = yield* deliveryOf(odin, id, (yield* deliveriesOf(odin, id))[0].id)
      assert.deepStrictEqual([status, attempts[1].status, attempts[1].answer], ["delivered", 204, undefined])
      const webhook = yield* shown(odin, id)
      assert.notProperty(webhook, "failing_since")
      assert.isDefined(webhook.last_success_at)
    }).pipe(Effect.scoped)
  )
})

layer(service)("a delivery that succeeds", (it) => {
  it.effect("takes four statements", () =>
    Effect.gen(function* () {
      const { odin, receiver } = yield* begin
      yield* create(odin, receiver.url, published)
      yield* open(odin, "Tide")
      yield* drainEvents
      let statements = 0
      yield* Effect.flatMap(WebhookSending, ({ drain }) => drain).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            statements += 1
            return statement
          })
        )
      )
      assert.lengthOf(receiver.arrived, 1)
      // One more finds nothing else.
      assert.strictEqual(statements, 5)
    })
  )
})
