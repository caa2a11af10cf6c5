import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { bytesPerSecond, framesPerSecond, makePluginPaces } from "../../../src/domain/plugin/PluginPace.ts"
import { PluginId } from "../../../src/domain/shared/Id.ts"

const idOf = (n: number) => PluginId.make(`${String(n).padStart(19, "0")}0`)

/** How many of these pass at once. */
const passing = Effect.fnUntraced(function* (pass: Effect.Effect<void>, count: number) {
  let passed = 0
  const waiting = Effect.forEach(Array(count), () =>
    Effect.andThen(
      pass,
      Effect.sync(() => passed++)
    )
  )
  const fiber = yield* Effect.forkChild(waiting, { startImmediately: true })
  yield* TestClock.adjust(0)
  yield* Effect.sync(() => fiber.interruptUnsafe())
  return passed
})

it.effect("a plugin is read at a pace of frames and of bytes, each second anew", () =>
  Effect.gen(function* () {
    const { paceOf } = yield* makePluginPaces
    const { count, pass } = paceOf(idOf(1))
    assert.strictEqual(yield* passing(pass, framesPerSecond + 10), framesPerSecond)
    assert.strictEqual(yield* passing(paceOf(idOf(2)).pass, 1), 1)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* passing(pass, 1), 1)
    // Less than all that it may have.
    count(bytesPerSecond - 1)
    assert.strictEqual(yield* passing(pass, 1), 1)
    count(1)
    assert.strictEqual(yield* passing(paceOf(idOf(1)).pass, 1), 0)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* passing(pass, 1), 1)
    count(bytesPerSecond * 3)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* passing(pass, 1), 0)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* passing(pass, 1), 1)
  })
)

it.effect("of plugins that connect one after the other without end, few are remembered", () =>
  Effect.gen(function* () {
    const { paceOf } = yield* makePluginPaces
    const first = paceOf(idOf(0))
    for (let n = 1; n < 500; n++) paceOf(idOf(n))
    assert.strictEqual(paceOf(idOf(0)), first)
    for (let n = 500; n < 1000; n++) paceOf(idOf(n))
    assert.notStrictEqual(paceOf(idOf(0)), first)
  })
)

it.effect("long frames are read one at a time, with time in between, and short ones at any time", () =>
  Effect.gen(function* () {
    const { inTurn } = yield* makePluginPaces
    const read: Array<string> = []
    const reading = (name: string, bytes: number) =>
      Effect.forkScoped(
        inTurn(
          bytes,
          Effect.andThen(
            Effect.sleep("10 millis"),
            Effect.sync(() => void read.push(name))
          )
        )
      )
    yield* reading("long", 64 * 1024)
    yield* reading("longer", 4 * 1024 * 1024)
    yield* reading("short", 64 * 1024 - 1)
    yield* TestClock.adjust("10 millis")
    assert.sameMembers(read, ["long", "short"])
    yield* TestClock.adjust("49 millis")
    assert.lengthOf(read, 2)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(read.at(-1), "longer")
  })
)
