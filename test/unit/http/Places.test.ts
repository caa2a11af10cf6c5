import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as FastCheck from "fast-check"
import { type Lane, makePlaces, type NoPlace, type Places } from "../../../src/http/queue/Places.ts"

const roomy: Lane = { running: 1, runningPerClient: 1, waiting: 100, perClient: 100 }

/** Work of a client that runs until it is let go. Before, it may be told to wait for the client, and to continue. */
const enter = Effect.fnUntraced(function* (
  places: Places,
  client: string,
  begun: Array<string> = [],
  refuse: (reason: NoPlace) => Effect.Effect<never, NoPlace> = Effect.fail
) {
  const started = yield* Deferred.make<void>()
  const waits = yield* Deferred.make<boolean>()
  const sent = yield* Deferred.make<void>()
  const continued = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const work = places.admit(
    client,
    (givingUp) =>
      Effect.gen(function* () {
        begun.push(client)
        yield* Deferred.succeed(started, undefined)
        if (yield* Deferred.await(waits)) yield* givingUp(Deferred.await(sent))
        yield* Deferred.succeed(continued, undefined)
        yield* Deferred.await(go)
      }),
    refuse
  )
  const fiber = yield* Effect.forkChild(work, { startImmediately: true })
  const letWait = Deferred.succeed(waits, true)
  const letContinue = Deferred.succeed(sent, undefined)
  const letGo = Effect.all([Deferred.succeed(waits, false), letContinue, Deferred.succeed(go, undefined)])
  return { started, letWait, letContinue, continued, letGo, fiber } as const
})

/** What can be done by now has been done. */
const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("places", () => {
  it.effect("are left free by a client that runs as much as it may", () =>
    Effect.gen(function* () {
      const places = makePlaces({ ...roomy, running: 4, runningPerClient: 2 })
      const begun: Array<string> = []
      const own = yield* Effect.forEach([1, 2, 3], () => enter(places, "a", begun))
      assert.deepStrictEqual(begun, ["a", "a"])
      yield* enter(places, "b", begun)
      assert.deepStrictEqual(begun, ["a", "a", "b"])
      yield* own[0]?.letGo ?? Effect.void
      yield* settled
      assert.deepStrictEqual(begun, ["a", "a", "b", "a"])
    })
  )

  it.effect("are given to clients in turns, whoever has waited with how much", () =>
    Effect.gen(function* () {
      for (const [arriving, expected] of [
        ["aaabca", "abcaaa"],
        ["aabbab", "ababab"]
      ] as const) {
        const places = makePlaces(roomy)
        const begun: Array<string> = []
        const all = yield* Effect.forEach([...arriving], (client) => enter(places, client, begun))
        for (const { letGo } of all) yield* letGo
        yield* settled
        assert.strictEqual(begun.join(""), expected)
      }
    })
  )

  it.effect("are taken when the work before has ended, not within it", () =>
    Effect.gen(function* () {
      const places = makePlaces(roomy)
      const seen: Array<string> = []
      const see = (what: string) => Effect.sync(() => seen.push(what))
      const refuse = (reason: NoPlace) => Effect.fail(reason)
      const go = yield* Deferred.make<void>()
      const first = Effect.andThen(
        places.admit("a", () => Deferred.await(go), refuse),
        see("ended")
      )
      yield* Effect.forkChild(first, { startImmediately: true })
      const second = places.admit("b", () => see("begun"), refuse)
      yield* Effect.forkChild(second, { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* settled
      assert.deepStrictEqual(seen, ["ended", "begun"])
    })
  )

  it.effect("are given to a client that waits with more, one after the other", () =>
    Effect.gen(function* () {
      const places = makePlaces({ ...roomy, running: 2, runningPerClient: 2 })
      const begun: Array<string> = []
      const before = yield* Effect.forEach(["a", "a"], (client) => enter(places, client, begun))
      yield* Effect.forEach(["b", "b"], (client) => enter(places, client, begun))
      for (const { letGo } of before) yield* letGo
      yield* settled
      assert.deepStrictEqual(begun, ["a", "a", "b", "b"])
    })
  )

  it.effect("are not held by who waits for the client, and are waited for again afterwards", () =>
    Effect.gen(function* () {
      const places = makePlaces(roomy)
      const slow = yield* enter(places, "a")
      yield* slow.letWait
      const other = yield* enter(places, "b")
      yield* Deferred.await(other.started)
      yield* slow.letContinue
      yield* settled
      assert.isFalse(yield* Deferred.isDone(slow.continued))
      yield* other.letGo
      yield* Deferred.await(slow.continued)
      assert.strictEqual(places.admitted(), 1)
      yield* slow.letGo
      yield* Fiber.await(slow.fiber)
      assert.strictEqual(places.admitted(), 0)
    })
  )

  it.effect("count who waits for the client among those that a client may have", () =>
    Effect.gen(function* () {
      const places = makePlaces({ ...roomy, perClient: 1 })
      const slow = yield* enter(places, "a")
      yield* slow.letWait
      const more = yield* enter(places, "a")
      assert.strictEqual(yield* Effect.flip(Fiber.join(more.fiber)), "client")
    })
  )

  it.effect("count who waits for the client among nobody else's", () =>
    Effect.gen(function* () {
      const places = makePlaces({ ...roomy, waiting: 0 })
      const slow = yield* enter(places, "a")
      yield* slow.letWait
      assert.strictEqual(places.admitted(), 0)
      const other = yield* enter(places, "b")
      yield* Deferred.await(other.started)
      const more = yield* enter(places, "c")
      assert.strictEqual(yield* Effect.flip(Fiber.join(more.fiber)), "queue")
      // It has begun, so that it is never refused any more.
      yield* slow.letContinue
      yield* settled
      assert.strictEqual(places.admitted(), 2)
      yield* other.letGo
      yield* slow.letGo
      yield* Fiber.join(slow.fiber)
      assert.strictEqual(places.admitted(), 0)
    })
  )

  it.effect("are left by who leaves while it waits for the client", () =>
    Effect.gen(function* () {
      const places = makePlaces(roomy)
      const slow = yield* enter(places, "a")
      yield* slow.letWait
      yield* Fiber.interrupt(slow.fiber)
      assert.deepStrictEqual([places.admitted(), places.clients()], [0, 0])
    })
  )

  it.effect(
    "in a full lane are waited for by who has less waiting, in place of the newest of who has most",
    () =>
      Effect.gen(function* () {
        const places = makePlaces({ ...roomy, waiting: 4 })
        const begun: Array<string> = []
        const running = yield* enter(places, "x", begun)
        const waiting = yield* Effect.forEach(["a", "a", "b", "a"], (client) => enter(places, client, begun))
        const newest = waiting.pop()
        const late = yield* enter(places, "c", begun)
        if (newest === undefined) return assert.fail()
        assert.strictEqual(yield* Effect.flip(Fiber.join(newest.fiber)), "queue")
        // Nobody has two more waiting than they would have then.
        const b = yield* enter(places, "b", begun)
        assert.strictEqual(yield* Effect.flip(Fiber.join(b.fiber)), "queue")
        const a = yield* enter(places, "a", begun)
        assert.strictEqual(yield* Effect.flip(Fiber.join(a.fiber)), "queue")
        assert.strictEqual(places.admitted(), 5)
        for (const { letGo } of [running, ...waiting, late]) yield* letGo
        yield* settled
        assert.deepStrictEqual(begun, ["x", "a", "b", "c", "a"])
        assert.deepStrictEqual([places.admitted(), places.clients()], [0, 0])
      })
  )

  it.effect(
    "in a full lane are free for one who comes when another has given way, however long refusing takes",
    () =>
      Effect.gen(function* () {
        const places = makePlaces({ ...roomy, waiting: 4 })
        const refused: Array<number> = []
        const go = yield* Deferred.make<void>()
        const refuseLate = (n: number) => (reason: NoPlace) =>
          Effect.sync(() => refused.push(n)).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(Effect.fail(reason))
          )
        yield* enter(places, "x")
        for (const n of [1, 2, 3, 4]) yield* enter(places, "a", [], refuseLate(n))
        // Each takes the place of another one.
        yield* enter(places, "b")
        yield* enter(places, "c")
        assert.deepStrictEqual(refused, [4, 3])
        assert.strictEqual(places.admitted(), 5)
        yield* Deferred.succeed(go, undefined)
        yield* settled
        assert.strictEqual(places.admitted(), 5)
      })
  )

  it.effect("are never lost by work that has begun, however full the lane is", () =>
    Effect.gen(function* () {
      const places = makePlaces({ ...roomy, waiting: 3 })
      const slow = []
      for (let n = 0; n < 3; n++) {
        const one = yield* enter(places, "a")
        yield* one.letWait
        slow.push(one)
      }
      const other = yield* enter(places, "b")
      for (const { letContinue } of slow) yield* letContinue
      yield* settled
      const late = yield* enter(places, "c")
      assert.strictEqual(yield* Effect.flip(Fiber.join(late.fiber)), "queue")
      for (const { letGo } of [other, ...slow]) yield* letGo
      for (const { fiber } of slow) yield* Fiber.join(fiber)
    })
  )

  it.effect("are all free again after any coming, waiting, leaving and interrupting", () => {
    const step = FastCheck.record({
      client: FastCheck.constantFrom("a", "b", "c"),
      action: FastCheck.constantFrom("enter", "enter", "wait", "continue", "go", "interrupt"),
      whose: FastCheck.nat(30)
    })
    const lane: Lane = { running: 3, runningPerClient: 2, waiting: 5, perClient: 4 }
    const holds = (steps: ReadonlyArray<{ client: string; action: string; whose: number }>) =>
      Effect.gen(function* () {
        const places = makePlaces(lane)
        const present: Array<Effect.Success<ReturnType<typeof enter>>> = []
        for (const { action, client, whose } of steps) {
          const one = present[whose % Math.max(1, present.length)]
          if (action === "enter" || one === undefined) present.push(yield* enter(places, client))
          else if (action === "wait") yield* one.letWait
          else if (action === "continue") yield* one.letContinue
          else if (action === "go") yield* one.letGo
          else yield* Fiber.interrupt(one.fiber)
          yield* settled
          // Who comes back from waiting for its client is never refused.
          assert.isAtMost(places.admitted(), lane.running + lane.waiting + 12)
        }
        for (const { letGo } of present) yield* letGo
        for (const { fiber } of present) yield* Fiber.await(fiber)
        assert.deepStrictEqual([places.admitted(), places.clients()], [0, 0])
        const begun: Array<string> = []
        for (const client of ["a", "a", "a", "b", "b"]) yield* enter(places, client, begun)
        assert.deepStrictEqual(begun, ["a", "a", "b"])
      })
    return Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.array(step, { maxLength: 30 }), (steps) =>
          Effect.runPromise(Effect.scoped(holds(steps)))
        ),
        { numRuns: 200 }
      )
    )
  })
})
