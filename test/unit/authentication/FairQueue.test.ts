import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { type Bounds, type Lane, makeFairQueue } from "../../../src/domain/authentication/FairQueue.ts"

const roomy: Bounds = { places: 1, perAsker: 100, perLane: 100 }

/** A queue whose only place is taken until it opens. What is asked for meanwhile is noted when it begins. */
const occupied = Effect.fnUntraced(function* (bounds: Bounds) {
  const queue = makeFairQueue(bounds)
  const begun: Array<string> = []
  const opens = yield* Deferred.make<void>()
  const fork = <E>(work: Effect.Effect<void, E>) => Effect.forkChild(work, { startImmediately: true })
  const first = yield* fork(queue.inPlace({ lane: "sign-in", name: "first" })(Deferred.await(opens)))
  const asked: Array<Fiber.Fiber<void, unknown>> = [first]

  /** Asks as `name`; what begins is noted as the name and the number of the question. */
  const ask = Effect.fnUntraced(function* (lane: Lane, name: string) {
    const note = Effect.sync(() => void begun.push(name))
    const fiber = yield* fork(queue.inPlace({ lane, name })(note))
    asked.push(fiber)
    return fiber
  })

  /** Opens the place, and answers in what order the rest began. */
  const order = Effect.gen(function* () {
    yield* Deferred.succeed(opens, undefined)
    yield* Fiber.awaitAll(asked)
    return begun.join(" ")
  })

  const refused = (fiber: Fiber.Fiber<void, unknown>) => Effect.map(Fiber.await(fiber), Exit.isFailure)

  return { queue, first, ask, order, refused } as const
})

describe("a fair queue", () => {
  it.effect("never runs more at a time than it has places, and runs all", () =>
    Effect.gen(function* () {
      for (const places of [1, 4]) {
        const { inPlace } = makeFairQueue({ ...roomy, places })
        let running = 0
        let most = 0
        const work = Effect.gen(function* () {
          running += 1
          most = Math.max(most, running)
          yield* Effect.yieldNow
          running -= 1
        })
        const asker = (index: number) =>
          ({ lane: index % 3 === 0 ? "sign-up" : "sign-in", name: String(index % 5) }) as const
        yield* Effect.forEach(Array(40).keys(), (index) => inPlace(asker(index))(work), {
          concurrency: "unbounded"
        })
        assert.strictEqual(most, places)
        assert.strictEqual(running, 0)
      }
    })
  )

  it.effect("gives the place on after a failure", () =>
    Effect.gen(function* () {
      const { inPlace } = makeFairQueue(roomy)
      const asker = { lane: "sign-in", name: "a" } as const
      yield* Effect.exit(inPlace(asker)(Effect.die(new Error("no"))))
      assert.strictEqual(yield* inPlace(asker)(Effect.succeed("done")), "done")
    })
  )

  it.effect("lets sign-ins go before sign-ups", () =>
    Effect.gen(function* () {
      const { ask, order } = yield* occupied(roomy)
      for (const name of ["up1", "up2"]) yield* ask("sign-up", name)
      for (const name of ["in1", "in2", "in3"]) yield* ask("sign-in", name)
      assert.strictEqual(yield* order, "in1 in2 in3 up1 up2")
    })
  )

  it.effect("lets a sign-up go after four sign-ins in a row", () =>
    Effect.gen(function* () {
      const { ask, order } = yield* occupied(roomy)
      for (let index = 0; index < 9; index++) yield* ask("sign-in", "in")
      for (const name of ["up1", "up2", "up3"]) yield* ask("sign-up", name)
      assert.strictEqual(yield* order, "in in in in up1 in in in in up2 in up3")
    })
  )

  it.effect("gives each asker of a lane a turn, whoever asked most", () =>
    Effect.gen(function* () {
      const { ask, order } = yield* occupied(roomy)
      for (const name of ["a", "a", "a", "a", "b", "b", "c"]) yield* ask("sign-up", name)
      assert.strictEqual(yield* order, "a b c a b a a")
    })
  )

  it.effect("refuses what is more than one asker may let wait, in each lane", () =>
    Effect.gen(function* () {
      const { ask, order, refused } = yield* occupied({ ...roomy, perAsker: 2 })
      for (const lane of ["sign-in", "sign-up"] as const) {
        yield* ask(lane, "a")
        yield* ask(lane, "a")
        assert.isTrue(yield* refused(yield* ask(lane, "a")))
        yield* ask(lane, "b")
      }
      assert.strictEqual(yield* order, "a b a a b a")
    })
  )

  it.effect("lets the asker of whom most waits give way in a full lane, and nobody who has less", () =>
    Effect.gen(function* () {
      const { ask, order, queue, refused } = yield* occupied({ ...roomy, perLane: 4 })
      yield* ask("sign-in", "a")
      yield* ask("sign-in", "a")
      const newest = yield* ask("sign-in", "a")
      yield* ask("sign-in", "b")
      yield* ask("sign-in", "c")
      assert.isTrue(yield* refused(newest))
      assert.isTrue(yield* refused(yield* ask("sign-in", "a")))
      assert.isTrue(yield* refused(yield* ask("sign-in", "b")))
      yield* ask("sign-in", "d")
      assert.isTrue(yield* refused(yield* ask("sign-in", "e")))
      assert.strictEqual(queue.waiting("sign-in"), 4)
      yield* ask("sign-up", "e")
      assert.strictEqual(yield* order, "a b c d e")
    })
  )

  it.effect("forgets what is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { ask, order, queue } = yield* occupied({ ...roomy, perAsker: 1 })
      yield* Fiber.interrupt(yield* ask("sign-in", "a"))
      assert.strictEqual(queue.waiting("sign-in"), 0)
      yield* ask("sign-in", "b")
      yield* ask("sign-in", "a")
      assert.strictEqual(yield* order, "b a")
    })
  )

  it.effect("completes what is interrupted when it has begun, and then gives the place on", () =>
    Effect.gen(function* () {
      const { inPlace } = makeFairQueue(roomy)
      const asker = { lane: "sign-in", name: "a" } as const
      const done: Array<string> = []
      const opens = yield* Deferred.make<void>()
      const work = Effect.map(Deferred.await(opens), () => void done.push("first"))
      const first = yield* Effect.forkChild(inPlace(asker)(work), { startImmediately: true })
      const second = yield* Effect.forkChild(inPlace(asker)(Effect.sync(() => void done.push("second"))), {
        startImmediately: true
      })
      first.interruptUnsafe()
      yield* Effect.yieldNow
      assert.deepStrictEqual(done, [])
      yield* Deferred.succeed(opens, undefined)
      yield* Fiber.join(second)
      assert.deepStrictEqual(done, ["first", "second"])
    })
  )

  it.effect("does not lose the place of what is interrupted at the moment it gets it", () =>
    Effect.gen(function* () {
      const { inPlace } = makeFairQueue(roomy)
      const asker = { lane: "sign-in", name: "a" } as const
      const opens = yield* Deferred.make<void>()
      const fork = (work: Effect.Effect<unknown, unknown>) =>
        Effect.forkChild(work, { startImmediately: true })
      yield* fork(inPlace(asker)(Deferred.await(opens)))
      const second = yield* fork(inPlace(asker)(Effect.void))
      const third = yield* fork(inPlace(asker)(Effect.void))
      Deferred.doneUnsafe(opens, Exit.void)
      second.interruptUnsafe()
      yield* Fiber.join(third)
    })
  )
})
