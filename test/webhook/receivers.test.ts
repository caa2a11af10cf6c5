/** Receivers that hang, lie, redirect or answer too much: what becomes of it, and that others do not wait. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import { ok } from "../support/answers.ts"
import { until } from "../support/connections.ts"
import { open } from "../support/discussion.ts"
import { Cast, drainEvents } from "../support/people.ts"
import { inTime } from "../support/waiting.ts"
import {
  type Answering,
  answering,
  clear,
  create,
  deliver,
  deliveriesOf,
  deliveryOf,
  known,
  published,
  receiver,
  layer as service,
  shown,
  webhooks
} from "./support.ts"

const begin = Effect.andThen(clear, Cast)

const hanging: Answering = () => {}

const becomes = (without: string, isSo: () => boolean) =>
  inTime(
    without,
    Effect.promise(() => until(isSo))
  )

/** The one attempt of the one delivery of a webhook, after it was delivered meanwhile. */
const firstAttempt = Effect.fnUntraced(function* (id: string) {
  const { odin } = yield* Cast
  const [{ id: delivery }] = yield* deliveriesOf(odin, id)
  const { attempts } = yield* deliveryOf(odin, id, delivery)
  return attempts[0]
})

/** What comes of a delivery to a receiver that answers so, for which ten seconds pass. */
const afterTenSeconds = Effect.fnUntraced(function* (answer: Answering) {
  const { odin } = yield* begin
  const { arrived, url } = yield* receiver(answer)
  const { id } = yield* create(odin, url, published)
  yield* open(odin, "Tide")
  const delivering = yield* Effect.forkScoped(deliver)
  yield* becomes("nothing arrived", () => arrived.length === 1)
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.join(delivering)
  return yield* firstAttempt(id)
})

layer(service)("a receiver", (it) => {
  it.effect("that does not answer has ten seconds", () =>
    Effect.gen(function* () {
      const attempt = yield* afterTenSeconds(hanging)
      assert.deepStrictEqual(attempt, {
        at: attempt.at,
        milliseconds: 10_000,
        error: "There was no answer within 10 seconds"
      })
    }).pipe(Effect.scoped)
  )

  it.effect("that answers byte by byte has no more than that", () =>
    Effect.gen(function* () {
      const attempt = yield* afterTenSeconds((_, response) => {
        response.writeHead(200)
        const drip = setInterval(() => response.write("."), 20)
        response.on("close", () => clearInterval(drip))
      })
      assert.strictEqual(attempt.error, "There was no answer within 10 seconds")
    }).pipe(Effect.scoped)
  )

  const attemptWith = Effect.fnUntraced(function* (answer: Answering, path = "/hook") {
    const { odin } = yield* begin
    const { port } = yield* receiver(answer)
    const { id } = yield* create(odin, `http://127.0.0.1:${port}${path}`, published)
    yield* open(odin, "Tide")
    yield* deliver
    return yield* firstAttempt(id)
  })

  it.effect("that answers with much has the first KiB of it kept", () =>
    Effect.gen(function* () {
      const { answer, status } = yield* attemptWith((_, response) => {
        response.writeHead(200).end("é".repeat(4 * 1024 * 1024))
      })
      assert.deepStrictEqual([answer, status], ["é".repeat(512), 200])
    }).pipe(Effect.scoped)
  )

  it.effect("that answers with bytes or the secret has neither kept", () =>
    Effect.gen(function* () {
      const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwkqRuIhh1eZQ="
      const { answer } = yield* attemptWith((_, response) => {
        response.writeHead(400).end(Buffer.concat([Buffer.from(`${secret} is wrong: `), Buffer.of(0, 255)]))
      })
      assert.strictEqual(answer, "whsec_… is wrong: \ufffd\ufffd")
    }).pipe(Effect.scoped)
  )

  it.effect("that redirects is not followed, wherever it leads", () =>
    Effect.gen(function* () {
      const elsewhere = yield* receiver()
      for (const location of [elsewhere.url, "http://169.254.169.254/latest/meta-data"]) {
        const attempt = yield* attemptWith((_, response) => {
          response.writeHead(302, { location }).end("over there")
        })
        assert.deepStrictEqual([attempt.status, attempt.error], [302, undefined])
      }
      assert.lengthOf(elsewhere.arrived, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("that ends the connection has failed", () =>
    Effect.gen(function* () {
      const { error } = yield* attemptWith((_, response) => response.socket?.destroy())
      assert.strictEqual(error, "There was no connection, or it ended too early")
    }).pipe(Effect.scoped)
  )

  it.effect("whose name leads into a private network, or nowhere, gets nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* begin
      known.set("inside.example", "10.0.0.1")
      known.set("outside.example", "93.184.216.34")
      for (const [address, error] of [
        ["https://inside.example/", "The address is not on the public internet"],
        ["http://outside.example/", "The service sends nothing there without https"],
        ["https://nowhere.example/", "The name of the host is not known"]
      ] as const) {
        const { id } = yield* create(odin, address)
        const attempt = ok(yield* odin.post(`${webhooks}/${id}/test`))
        assert.deepStrictEqual(attempt, { at: attempt.at, milliseconds: 0, error })
        const [{ status, type }] = yield* deliveriesOf(odin, id)
        assert.deepStrictEqual([status, type], ["failed", "Test"])
        assert.notProperty(yield* shown(odin, id), "failing_since")
      }
    })
  )

  it.effect("that hangs has four deliveries at a time, and no other receiver waits for it", () =>
    Effect.gen(function* () {
      const { odin } = yield* begin
      const [slow, quick] = [yield* receiver(hanging), yield* receiver()]
      const { id } = yield* create(odin, slow.url, published)
      yield* create(odin, quick.url, published)
      for (let thread = 0; thread < 10; thread++) yield* open(odin, `Tide ${thread}`)
      yield* drainEvents
      const { follow } = yield* WebhookSending
      yield* Effect.forkScoped(follow)
      yield* becomes("the quick one has not all", () => quick.arrived.length === 10)
      yield* becomes("the slow one has not its four", () => slow.arrived.length === 4)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(slow.arrived.length, 4)
      slow.behaviour.current = answering(200)
      yield* TestClock.adjust("1 second")
      yield* becomes("the slow one has not all", () => slow.arrived.length === 10)
      yield* TestClock.adjust("6 seconds")
      yield* becomes("the slow one has not got the first again", () => slow.arrived.length === 14)
      const statusOf = Effect.map(deliveriesOf(odin, id, "?status=delivered"), (all) => all.length)
      yield* inTime(
        "not all are delivered",
        Effect.repeat(statusOf, { until: (delivered) => delivered === 10 })
      )
    }).pipe(Effect.scoped)
  )
})
