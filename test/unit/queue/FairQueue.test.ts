import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as FastCheck from "fast-check"
import {
  type Bounds,
  type FairQueue,
  type Lane,
  makeFairQueue,
  type NoPlace
} from "../../../src/domain/queue/FairQueue.ts"
import { makeTurns } from "../../../src/domain/queue/Turns.ts"

const roomy: Bounds = { running: 1, runningPerClient: 1, waiting: 100, perClient: 100 }

/** Work that runs until it is let go. Before, it may be told to wait for its client, and to continue. */
const enter = Effect.fnUntraced(function* (
  queue: FairQueue,
  client: string,
  begun: Array<string> = [],
  refuse: (reason: NoPlace) => Effect.Effect<never, NoPlace> = Effect.fail,
  lane: Lane = "urgent"
) {
  const started = yield* Deferred.make<void>()
  const waits = yield* Deferred.make<boolean>()
  const sent = yield* Deferred.make<void>()
  const continued = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const work = queue.run(
    client,
    (releasingPlaceWhile) =>
      Effect.gen(function* () {
        begun.push(client)
        yield* Deferred.succeed(started, undefined)
        if (yield* Deferred.await(waits)) yield* releasingPlaceWhile(Deferred.await(sent))
        yield* Deferred.succeed(continued, undefined)
        yield* Deferred.await(go)
      }),
    refuse,
    lane
  )
  const fiber = yield* Effect.forkChild(work, { startImmediately: true })
  const letWait = Deferred.succeed(waits, true)
  const letContinue = Deferred.succeed(sent, undefined)
  const letGo = Effect.all([Deferred.succeed(waits, false), letContinue, Deferred.succeed(go, undefined)])
  return { started, letWait, letContinue, continued, letGo, fiber } as const
})

/** What can be done by now has been done. */
const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("places of a fair queue", () => {
  it.effect("are left free by a client who runs as much as they may", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, running: 4, runningPerClient: 2 })
      const begun: Array<string> = []
      const own = yield* Effect.forEach([1, 2, 3], () => enter(queue, "a", begun))
      assert.deepStrictEqual(begun, ["a", "a"])
      yield* enter(queue, "b", begun)
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
        const queue = makeFairQueue(roomy)
        const begun: Array<string> = []
        const all = yield* Effect.forEach([...arriving], (client) => enter(queue, client, begun))
        for (const { letGo } of all) yield* letGo
        yield* settled
        assert.strictEqual(begun.join(""), expected)
      }
    })
  )

  it.effect("are taken when the work before has ended, not within it", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue(roomy)
      const seen: Array<string> = []
      const see = (what: string) => Effect.sync(() => seen.push(what))
      const refuse = (reason: NoPlace) => Effect.fail(reason)
      const go = yield* Deferred.make<void>()
      const first = Effect.andThen(
        queue.run("a", () => Deferred.await(go), refuse),
        see("ended")
      )
      yield* Effect.forkChild(first, { startImmediately: true })
      const second = queue.run("b", () => see("begun"), refuse)
      yield* Effect.forkChild(second, { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* settled
      assert.deepStrictEqual(seen, ["ended", "begun"])
    })
  )

  it.effect("are given to a client who waits with more, one after the other", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, running: 2, runningPerClient: 2 })
      const begun: Array<string> = []
      const before = yield* Effect.forEach(["a", "a"], (client) => enter(queue, client, begun))
      yield* Effect.forEach(["b", "b"], (client) => enter(queue, client, begun))
      for (const { letGo } of before) yield* letGo
      yield* settled
      assert.deepStrictEqual(begun, ["a", "a", "b", "b"])
    })
  )

  it.effect("are not held by what waits for its client, and are waited for again afterwards", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue(roomy)
      const slow = yield* enter(queue, "a")
      yield* slow.letWait
      const other = yield* enter(queue, "b")
      yield* Deferred.await(other.started)
      yield* slow.letContinue
      yield* settled
      assert.isFalse(yield* Deferred.isDone(slow.continued))
      yield* other.letGo
      yield* Deferred.await(slow.continued)
      assert.strictEqual(queue.present(), 1)
      yield* slow.letGo
      yield* Fiber.await(slow.fiber)
      assert.strictEqual(queue.present(), 0)
    })
  )

  it.effect("count what waits for its client among what a client may have", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, perClient: 1 })
      const slow = yield* enter(queue, "a")
      yield* slow.letWait
      const more = yield* enter(queue, "a")
      assert.strictEqual(yield* Effect.flip(Fiber.join(more.fiber)), "client")
    })
  )

  it.effect("count what waits for its client among nobody else's", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, waiting: 0 })
      const slow = yield* enter(queue, "a")
      yield* slow.letWait
      assert.strictEqual(queue.present(), 0)
      const other = yield* enter(queue, "b")
      yield* Deferred.await(other.started)
      const more = yield* enter(queue, "c")
      assert.strictEqual(yield* Effect.flip(Fiber.join(more.fiber)), "queue")
      // It has begun, so that it is never refused any more.
      yield* slow.letContinue
      yield* settled
      assert.strictEqual(queue.present(), 2)
      yield* other.letGo
      yield* slow.letGo
      yield* Fiber.join(slow.fiber)
      assert.strictEqual(queue.present(), 0)
    })
  )

  it.effect("are left by what leaves while it waits for its client", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue(roomy)
      const slow = yield* enter(queue, "a")
      yield* slow.letWait
      yield* Fiber.interrupt(slow.fiber)
      assert.deepStrictEqual([queue.present(), queue.clients()], [0, 0])
    })
  )

  it.effect(
    "in a full lane are waited for by who has less waiting, in place of the newest of who has most",
    () =>
      Effect.gen(function* () {
        const queue = makeFairQueue({ ...roomy, waiting: 4 })
        const begun: Array<string> = []
        const running = yield* enter(queue, "x", begun)
        const waiting = yield* Effect.forEach(["a", "a", "b", "a"], (client) => enter(queue, client, begun))
        const newest = waiting.pop()
        const late = yield* enter(queue, "c", begun)
        if (newest === undefined) return assert.fail()
        assert.strictEqual(yield* Effect.flip(Fiber.join(newest.fiber)), "queue")
        // Nobody has two more waiting than they would have then.
        const b = yield* enter(queue, "b", begun)
        assert.strictEqual(yield* Effect.flip(Fiber.join(b.fiber)), "queue")
        const a = yield* enter(queue, "a", begun)
        assert.strictEqual(yield* Effect.flip(Fiber.join(a.fiber)), "queue")
        assert.strictEqual(queue.present(), 5)
        for (const { letGo } of [running, ...waiting, late]) yield* letGo
        yield* settled
        assert.deepStrictEqual(begun, ["x", "a", "b", "c", "a"])
        assert.deepStrictEqual([queue.present(), queue.clients()], [0, 0])
      })
  )

  it.effect(
    "in a full lane are free for one who comes when another has given way, however long refusing takes",
    () =>
      Effect.gen(function* () {
        const queue = makeFairQueue({ ...roomy, waiting: 4 })
        const refused: Array<number> = []
        const go = yield* Deferred.make<void>()
        const refuseLate = (n: number) => (reason: NoPlace) =>
          Effect.sync(() => refused.push(n)).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(Effect.fail(reason))
          )
        yield* enter(queue, "x")
        for (const n of [1, 2, 3, 4]) yield* enter(queue, "a", [], refuseLate(n))
        // Each takes the place of another one.
        yield* enter(queue, "b")
        yield* enter(queue, "c")
        assert.deepStrictEqual(refused, [4, 3])
        assert.strictEqual(queue.present(), 5)
        yield* Deferred.succeed(go, undefined)
        yield* settled
        assert.strictEqual(queue.present(), 5)
      })
  )

  it.effect("are never lost by work that has begun, however full the lane is", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, waiting: 3 })
      const slow = []
      for (let n = 0; n < 3; n++) {
        const one = yield* enter(queue, "a")
        yield* one.letWait
        slow.push(one)
      }
      const other = yield* enter(queue, "b")
      for (const { letContinue } of slow) yield* letContinue
      yield* settled
      const late = yield* enter(queue, "c")
      assert.strictEqual(yield* Effect.flip(Fiber.join(late.fiber)), "queue")
      for (const { letGo } of [other, ...slow]) yield* letGo
      for (const { fiber } of slow) yield* Fiber.join(fiber)
    })
  )

  it.effect("are all free again after any coming, waiting, leaving and interrupting", () => {
    const step = FastCheck.record({
      client: FastCheck.constantFrom("a", "b", "c"),
      lane: FastCheck.constantFrom<Lane>("urgent", "patient"),
      action: FastCheck.constantFrom("enter", "enter", "wait", "continue", "go", "interrupt"),
      whose: FastCheck.nat(30)
    })
    const bounds: Bounds = { running: 3, runningPerClient: 2, waiting: 5, perClient: 4 }
    const holds = (steps: ReadonlyArray<{ client: string; lane: Lane; action: string; whose: number }>) =>
      Effect.gen(function* () {
        const queue = makeFairQueue(bounds)
        const present: Array<Effect.Success<ReturnType<typeof enter>>> = []
        for (const { action, client, lane, whose } of steps) {
          const one = present[whose % Math.max(1, present.length)]
          if (action === "enter" || one === undefined) {
            present.push(yield* enter(queue, client, [], Effect.fail, lane))
          } else if (action === "wait") yield* one.letWait
          else if (action === "continue") yield* one.letContinue
          else if (action === "go") yield* one.letGo
          else yield* Fiber.interrupt(one.fiber)
          yield* settled
          // What comes back from waiting for its client is never refused.
          assert.isAtMost(queue.present(), bounds.running + bounds.waiting + 12)
        }
        for (const { letGo } of present) yield* letGo
        for (const { fiber } of present) yield* Fiber.await(fiber)
        assert.deepStrictEqual([queue.present(), queue.clients()], [0, 0])
        const begun: Array<string> = []
        for (const client of ["a", "a", "a", "b", "b"]) yield* enter(queue, client, begun)
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

/** Lets the one place of a queue be taken, and answers in what order what came meanwhile began. */
const orderOf = Effect.fnUntraced(function* (
  bounds: Bounds,
  arriving: ReadonlyArray<readonly [Lane, string]>
) {
  const queue = makeFairQueue(bounds)
  const begun: Array<string> = []
  const first = yield* enter(queue, "first")
  const all = yield* Effect.forEach(arriving, ([lane, client]) =>
    enter(queue, client, begun, Effect.fail, lane)
  )
  for (const { letGo } of [first, ...all]) yield* letGo
  yield* settled
  return begun.join(" ")
})

const of = (lane: Lane, names: string) => names.split(" ").map((client) => [lane, client] as const)

describe("the two lanes of a fair queue", () => {
  for (const [what, arriving, expected] of [
    ["the urgent go first", [of("patient", "p q"), of("urgent", "a b c")], "a b c p q"],
    [
      "one of the patient goes after four of the urgent in a row",
      [of("urgent", "a a a a a a a a a"), of("patient", "p q r")],
      "a a a a p a a a a q a r"
    ],
    ["those of one client are apart", [of("patient", "a a b"), of("urgent", "a")], "a a b a"]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* orderOf(roomy, arriving.flat()), expected)
      })
    )
  }

  it.effect("are bounded each for itself, for all and for a client", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, waiting: 3, perClient: 2 })
      yield* enter(queue, "first")
      for (const lane of ["urgent", "patient"] as const) {
        const ask = (client: string) => enter(queue, client, [], Effect.fail, lane)
        yield* ask("a")
        yield* ask("a")
        assert.strictEqual(yield* Effect.flip(Fiber.join((yield* ask("a")).fiber)), "client")
        yield* ask("b")
        assert.strictEqual(queue.waiting(lane), 3)
        assert.strictEqual(yield* Effect.flip(Fiber.join((yield* ask("b")).fiber)), "queue")
      }
      assert.strictEqual(queue.present(), 7)
    })
  )
})

describe("work in a fair queue", () => {
  it.effect("never runs more at a time than there are places, and all of it runs", () =>
    Effect.gen(function* () {
      for (const running of [1, 4]) {
        const { run } = makeFairQueue({ ...roomy, running, runningPerClient: running })
        let now = 0
        let most = 0
        let done = 0
        const work = Effect.gen(function* () {
          now += 1
          most = Math.max(most, now)
          yield* Effect.yieldNow
          now -= 1
          done += 1
        })
        yield* Effect.forEach(
          Array(40).keys(),
          (index) => run(String(index % 5), () => work, Effect.fail, index % 3 === 0 ? "patient" : "urgent"),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([most, now, done], [running, 0, 40])
      }
    })
  )

  it.effect("that fails gives its place on", () =>
    Effect.gen(function* () {
      const { run } = makeFairQueue({ ...roomy, waiting: 0 })
      yield* Effect.exit(run("a", () => Effect.die(new Error("no")), Effect.fail))
      assert.strictEqual(yield* run("a", () => Effect.succeed("done"), Effect.fail), "done")
    })
  )

  it.effect("that is interrupted while it waits never begins", () =>
    Effect.gen(function* () {
      const queue = makeFairQueue({ ...roomy, waiting: 1 })
      const begun: Array<string> = []
      const first = yield* enter(queue, "a", begun)
      yield* Fiber.interrupt((yield* enter(queue, "b", begun)).fiber)
      assert.strictEqual(queue.waiting("urgent"), 0)
      yield* enter(queue, "c", begun)
      yield* first.letGo
      yield* settled
      assert.deepStrictEqual(begun, ["a", "c"])
    })
  )

  it.effect("that is interrupted at the moment it gets its place gives it on", () =>
    Effect.gen(function* () {
      const { run } = makeFairQueue(roomy)
      const opens = yield* Deferred.make<void>()
      const fork = (work: Effect.Effect<void>) =>
        Effect.forkChild(
          run("a", () => work, Effect.fail),
          { startImmediately: true }
        )
      yield* fork(Deferred.await(opens))
      const second = yield* fork(Effect.void)
      const third = yield* fork(Effect.void)
      Deferred.doneUnsafe(opens, Exit.void)
      second.interruptUnsafe()
      yield* Fiber.join(third)
    })
  )
})

describe("turns by name", () => {
  it.effect("let work under one name run in its order, bounded, and under others at once", () =>
    Effect.gen(function* () {
      const turns = makeTurns({ running: 1, present: 2 }, Effect.fail("full" as const))
      const begun: Array<string> = []
      const opens = yield* Deferred.make<void>()
      const ask = (name: string, what: string) =>
        Effect.forkChild(
          turns(
            name,
            Effect.andThen(
              Effect.sync(() => begun.push(what)),
              Deferred.await(opens)
            )
          ),
          { startImmediately: true }
        )
      const first = yield* ask("a", "first")
      const second = yield* ask("a", "second")
      assert.strictEqual(yield* Effect.flip(Fiber.join(yield* ask("a", "third"))), "full")
      yield* ask("b", "other")
      assert.deepStrictEqual(begun, ["first", "other"])
      yield* Deferred.succeed(opens, undefined)
      yield* Fiber.awaitAll([first, second])
      assert.deepStrictEqual(begun, ["first", "other", "second"])
      assert.strictEqual(yield* turns("a", Effect.succeed("again")), "again")
    })
  )
})
