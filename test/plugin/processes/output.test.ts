/** How what programs of plugins write is read. */
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
