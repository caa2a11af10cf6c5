import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { shareRunningRead } from "../../../src/persistence/shared/shareRunningRead.ts"

/** A read that waits to be let through, and answers how often there was one. */
const makeReads = Effect.sync(() => {
  const begun: Array<Deferred.Deferred<void>> = []
  const read = Effect.suspend(() => {
    const gate = Deferred.makeUnsafe<void>()
    const count = begun.push(gate)
    return Effect.as(Deferred.await(gate), count)
  })
  const finish = (count: number) => {
    const gate = begun[count - 1]
    return gate === undefined
      ? Effect.die(new Error(`Read ${count} has not begun`))
      : Deferred.succeed(gate, undefined)
  }
  return { begun, read, finish }
})

const ask = <A, E>(read: Effect.Effect<A, E>) => Effect.forkChild(read, { startImmediately: true })

it.effect("those who ask during a read share the next one, which begins after they asked", () =>
  Effect.gen(function* () {
    const { begun, finish, read } = yield* makeReads
    const shared = shareRunningRead(read)
    const first = yield* ask(shared)
    const [second, third] = [yield* ask(shared), yield* ask(shared)]
    assert.strictEqual(begun.length, 1)
    yield* finish(1)
    assert.strictEqual(yield* Fiber.join(first), 1)
    yield* Effect.yieldNow
    assert.strictEqual(begun.length, 2)
    const fourth = yield* ask(shared)
    yield* finish(2)
    assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third)], [2, 2])
    yield* Effect.yieldNow
    yield* finish(3)
    assert.strictEqual(yield* Fiber.join(fourth), 3)
    const later = yield* ask(shared)
    yield* finish(4)
    assert.strictEqual(yield* Fiber.join(later), 4)
  })
)

it.effect("who goes away takes nothing from the others", () =>
  Effect.gen(function* () {
    const { finish, read } = yield* makeReads
    const shared = shareRunningRead(read)
    const first = yield* ask(shared)
    const second = yield* ask(shared)
    yield* Fiber.interrupt(first)
    yield* finish(1)
    yield* Effect.yieldNow
    yield* finish(2)
    assert.strictEqual(yield* Fiber.join(second), 2)
  })
)

it.effect("a failure is for those who waited for it, and the next read is made", () =>
  Effect.gen(function* () {
    let count = 0
    const shared = shareRunningRead(
      Effect.suspend(() => (++count === 1 ? Effect.fail("broken") : Effect.succeed(count)))
    )
    assert.deepStrictEqual(yield* Effect.exit(shared), Exit.fail("broken"))
    assert.strictEqual(yield* shared, 2)
  })
)
