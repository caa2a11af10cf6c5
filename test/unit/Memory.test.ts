import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { decideStep, Memory } from "../../src/layers/Memory.ts"

describe("what is done after an interval", () => {
  for (const [wasBusy, utilization, step, isBusy] of [
    [false, 0, "nothing", false],
    [false, 0.049, "nothing", false],
    [false, 0.05, "trim", false],
    [false, 0.19, "trim", false],
    [false, 0.2, "trim", true],
    [true, 1, "trim", true],
    [true, 0.05, "trim", true],
    [true, 0.049, "collect and trim", false]
  ] as const) {
    it(`at ${utilization}, ${wasBusy ? "busy" : "quiet"} before: ${step}`, () => {
      assert.deepStrictEqual(decideStep(wasBusy, utilization), { step, wasBusy: isBusy })
    })
  }
})

it.effect("memory is given back every ten seconds under load, and once when it is over", () =>
  Effect.gen(function* () {
    const utilizations = [0.01, 0.9, 0.1, 0.01, 0.01, 0.1, 0.01]
    const done: Array<string> = []
    const note = (what: string) => Effect.sync(() => void done.push(what))
    const fake = Layer.succeed(Memory, {
      utilization: Effect.sync(() => utilizations.shift() ?? 0),
      collect: note("collect"),
      trim: note("trim")
    })
    yield* Layer.build(Memory.givenBack.pipe(Layer.provide(fake)))
    const after: Array<string> = []
    for (let look = 0; look < 7; look++) {
      yield* TestClock.adjust("10 seconds")
      after.push(done.splice(0).join(" "))
    }
    assert.deepStrictEqual(after, ["", "trim", "trim", "collect trim", "", "trim", ""])
  }).pipe(Effect.scoped)
)

/** Fills the memory with buffers, lets go of all but some that lie between them, and gives back what it can. */
const peak = `
  import { readFileSync } from "node:fs"
  import { Effect } from "effect"
  import { Memory } from "./src/layers/Memory.ts"
  const resident = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024
  const { collect, trim, utilization } = await Effect.runPromise(Effect.provide(Effect.service(Memory), Memory.layer))
  const before = resident()
  let buffers = Array.from({ length: 4000 }, () => Buffer.allocUnsafeSlow(50_000).fill(1))
  const kept = buffers.filter((_, n) => n % 100 === 0)
  const full = resident()
  buffers = undefined
  await Effect.runPromise(collect)
  const collected = resident()
  await Effect.runPromise(trim)
  console.log(JSON.stringify({ before, full, collected, trimmed: resident(), kept: kept.length, utilization: await Effect.runPromise(utilization) }))`

it("what was freed between parts that are in use goes back to the system", () => {
  const args = ["--expose-gc", "--no-warnings", "--input-type=module", "--eval", peak]
  const { before, collected, full, trimmed, utilization } = JSON.parse(
    execFileSync(process.execPath, args, { encoding: "utf8" })
  )
  assert.isAbove(full - before, 150)
  assert.isAbove(collected - trimmed, 20, "the allocator had nothing to give back")
  assert.isBelow(trimmed - before, 30)
  assert.isTrue(utilization >= 0 && utilization <= 1)
})
