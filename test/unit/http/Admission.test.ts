import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import type { Bounds } from "../../../src/domain/queue/FairQueue.ts"
import { senderBounds } from "../../../src/http/bytes/Senders.ts"
import { type Cost, costs, isRefused, lanes, type Pressure } from "../../../src/http/contract/Cost.ts"
import { ServiceBusy } from "../../../src/http/contract/RequestProblems.ts"
import { Admission, CurrentPressure, Lanes } from "../../../src/http/pipeline/Admission.ts"
import { networkOf } from "../../../src/http/pipeline/ClientAddress.ts"
import { decidePressure, marksOf } from "../../../src/layers/process/PressureGauge.ts"

const admissionWith = (lane: Bounds, pressure: () => Pressure = () => "none") =>
  Admission.layer.pipe(
    Layer.provide(Layer.succeed(Lanes, { ...lanes, heavy: lane })),
    Layer.provide(Layer.succeed(CurrentPressure, pressure))
  )

/** Admits work of this cost that runs until it is let go. */
const enter = Effect.fnUntraced(function* (cost: Cost, client: string) {
  const { admit } = yield* Admission
  const started = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const work = Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(go))
  const fiber = yield* Effect.forkChild(
    admit(cost, networkOf(client), () => work),
    { startImmediately: true }
  )
  return { started, go, fiber } as const
})

const isBusy = (exit: Exit.Exit<unknown, ServiceBusy>) =>
  Option.exists(Exit.findErrorOption(exit), (problem) => problem instanceof ServiceBusy)

describe("a lane", () => {
  it.effect("runs as many as it may, lets as many wait, in order, and refuses the rest", () =>
    Effect.gen(function* () {
      const first = yield* enter("heavy", "a")
      const second = yield* enter("heavy", "b")
      const third = yield* enter("heavy", "c")
      const fourth = yield* enter("heavy", "d")
      assert.isTrue(yield* Deferred.isDone(first.started))
      assert.isFalse(yield* Deferred.isDone(second.started))
      assert.isTrue(isBusy(yield* Fiber.await(fourth.fiber)))
      yield* Deferred.succeed(first.go, undefined)
      yield* Deferred.await(second.started)
      assert.isFalse(yield* Deferred.isDone(third.started))
      // Its place is free again.
      const fifth = yield* enter("heavy", "e")
      yield* Deferred.succeed(second.go, undefined)
      yield* Deferred.await(third.started)
      yield* Deferred.succeed(third.go, undefined)
      yield* Deferred.await(fifth.started)
    }).pipe(Effect.provide(admissionWith({ running: 1, runningPerClient: 1, waiting: 2, perClient: 3 })))
  )

  it.effect("gives the place of who leaves, running or waiting, to the next", () =>
    Effect.gen(function* () {
      const running = yield* enter("heavy", "a")
      const waiting = yield* enter("heavy", "b")
      yield* Fiber.interrupt(waiting.fiber)
      const next = yield* enter("heavy", "c")
      yield* Fiber.interrupt(running.fiber)
      yield* Deferred.await(next.started)
      assert.isFalse(yield* Deferred.isDone(waiting.started))
    }).pipe(Effect.provide(admissionWith({ running: 1, runningPerClient: 1, waiting: 1, perClient: 2 })))
  )

  it.effect("has places for others when one client has taken all that it may", () =>
    Effect.gen(function* () {
      const one = yield* enter("heavy", "a")
      yield* enter("heavy", "a")
      const more = yield* enter("heavy", "a")
      assert.isTrue(isBusy(yield* Fiber.await(more.fiber)))
      const other = yield* enter("heavy", "b")
      yield* Deferred.await(other.started)
      // What others leave changes nothing for this client.
      yield* Fiber.interrupt(other.fiber)
      assert.isTrue(isBusy(yield* Fiber.await((yield* enter("heavy", "a")).fiber)))
      yield* Deferred.succeed(one.go, undefined)
      yield* Fiber.await(one.fiber)
      yield* Deferred.await((yield* enter("heavy", "a")).started)
    }).pipe(Effect.provide(admissionWith({ running: 4, runningPerClient: 4, waiting: 4, perClient: 2 })))
  )

  it.effect("counts all addresses of a customer as one client", () =>
    Effect.gen(function* () {
      yield* enter("heavy", "2001:db8::1")
      const other = yield* enter("heavy", "2001:db8::2")
      assert.isTrue(isBusy(yield* Fiber.await(other.fiber)))
      yield* Deferred.await((yield* enter("heavy", "2001:db8:0:1::1")).started)
    }).pipe(Effect.provide(admissionWith({ running: 4, runningPerClient: 4, waiting: 0, perClient: 1 })))
  )

  it.effect("does not hold up those of other costs", () =>
    Effect.gen(function* () {
      yield* enter("heavy", "a")
      for (const cost of costs.filter((cost) => cost !== "heavy")) {
        yield* Deferred.await((yield* enter(cost, "a")).started)
      }
    }).pipe(Effect.provide(admissionWith({ running: 1, runningPerClient: 1, waiting: 0, perClient: 1 })))
  )

  it("has room for more than one client, and every client has a share", () => {
    for (const cost of costs) {
      const { perClient, running, runningPerClient, waiting } = lanes[cost]
      // Uploads that wait for bytes are of their client, and of those that may be present at all times; not of the lane.
      const elsewhere = cost === "upload" ? senderBounds.present : 0
      assert.isAtMost(perClient, running + waiting + elsewhere, cost)
      assert.isAbove(perClient, 0, cost)
      assert.isAtMost(runningPerClient, running, cost)
    }
  })

  it("leaves half of its places to others, and where work is done three of four, or all but one", () => {
    for (const cost of ["quick", "long", "heavy", "write"] as const) {
      const { perClient, running, runningPerClient, waiting } = lanes[cost]
      assert.strictEqual(perClient, (running + waiting) / 2, cost)
      assert.isAtMost(runningPerClient, Math.max(1, running / 4), cost)
      assert.isBelow(runningPerClient, running, cost)
    }
    // What sends slowly is not counted where work is done, and hashes of passwords wait elsewhere.
    const { hashing, upload } = lanes
    assert.strictEqual(upload.perClient, upload.running + senderBounds.present)
    assert.isAtMost(upload.runningPerClient, upload.running / 2)
    assert.deepInclude(hashing, { waiting: 0, runningPerClient: hashing.running })
  })
})

describe("under pressure", () => {
  for (const [pressure, refused] of [
    ["none", []],
    ["high", ["heavy", "upload"]],
    ["extreme", ["long", "heavy", "write", "upload"]]
  ] as const) {
    it(`that is ${pressure}, these are refused: ${refused.join(", ")}`, () => {
      assert.deepStrictEqual(
        costs.filter((cost) => isRefused(cost, pressure)),
        [...refused]
      )
    })
  }

  it.effect("requests are refused as long as it lasts", () => {
    let pressure: Pressure = "high"
    return Effect.gen(function* () {
      yield* enter("quick", "b")
      const refused = yield* enter("heavy", "a")
      assert.isTrue(isBusy(yield* Fiber.await(refused.fiber)))
      pressure = "none"
      yield* Deferred.await((yield* enter("heavy", "a")).started)
    }).pipe(Effect.provide(admissionWith(lanes.heavy, () => pressure)))
  })

  it.effect("a request that nobody waits for is not refused", () =>
    Effect.gen(function* () {
      const alone = yield* enter("heavy", "a")
      yield* Deferred.await(alone.started)
      // Now the first is the one that waits.
      assert.isTrue(isBusy(yield* Fiber.await((yield* enter("heavy", "b")).fiber)))
      yield* Deferred.succeed(alone.go, undefined)
      yield* Fiber.await(alone.fiber)
      yield* Deferred.await((yield* enter("heavy", "b")).started)
    }).pipe(Effect.provide(admissionWith(lanes.heavy, () => "extreme")))
  )
})

describe("the pressure", () => {
  const marks = marksOf(100, 0.8)
  for (const [utilization, delay, heap, pressure] of [
    [1, 0, 0, "none"],
    [1, 99, 0.79, "none"],
    [1, 100, 0, "high"],
    [0.8, 100, 0, "high"],
    // Others have the processor.
    [0.79, 3000, 0, "none"],
    [0.79, 3000, 0.8, "high"],
    [0, 0, 0.8, "high"],
    [1, 299, 0.89, "high"],
    [1, 300, 0, "extreme"],
    [0, 0, 0.9, "extreme"]
  ] as const) {
    it(`at work for ${utilization} of the time, ${delay} ms late, with ${heap} of the heap is ${pressure}`, () => {
      assert.strictEqual(decidePressure({ utilization, delay, heap }, marks), pressure)
    })
  }
})
