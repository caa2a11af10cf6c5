/** What programs of plugins write costs the service little, however much it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePace } from "../../../src/layers/adapters/plugins/Output.ts"
import { runner } from "./support.ts"

describe("the output of plugins", () => {
  it("passes at a pace, with room for more at once after a time of less", () => {
    let now = 0
    const { take } = makePace(() => now)
    assert.strictEqual(take(1024 * 1024), 0)
    assert.strictEqual(take(512 * 1024), 1000)
    now += 1000
    assert.strictEqual(take(0), 0)
    now += 60_000
    assert.strictEqual(take(1024 * 1024), 0)
    assert.strictEqual(take(1024), 2)
  })

  for (const [what, how] of [
    ["lines", "lines"],
    ["a line without an end", "line"],
    ["empty lines", "empty"]
  ] as const)
    it.live(`takes less than a tenth of a core for ${what}, written as fast as they can be`, () =>
      Effect.gen(function* () {
        const { launch, linesOf } = yield* runner
        const { id, stop } = yield* launch("node", ["floods.mjs", how])
        // What passes at once passes in the first second.
        yield* Effect.sleep("1 second")
        const before = process.threadCpuUsage()
        const memory = process.memoryUsage().rss
        yield* Effect.sleep("3 seconds")
        const { system, user } = process.threadCpuUsage(before)
        assert.isBelow((system + user) / 3_000_000, 0.1)
        assert.isBelow(process.memoryUsage().rss - memory, 64 * 1024 * 1024)
        yield* stop
        const lines = yield* linesOf(id)
        assert.isBelow(lines.join("\n").length, 4.5 * 1024 * 1024)
        for (const line of lines) assert.isBelow(line.length, 17 * 1024)
      }).pipe(Effect.scoped)
    )

  it.live("is cut where a line is too long, and has what came last", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const { exited, id } = yield* launch("node", [
        "--eval",
        "process.stdout.write('x'.repeat(20000) + '\\nlast')"
      ])
      yield* exited
      assert.deepStrictEqual(yield* linesOf(id), [
        `${"x".repeat(16 * 1024)} [${20_000 - 16 * 1024} bytes more]`,
        "last"
      ])
    }).pipe(Effect.scoped)
  )
})
