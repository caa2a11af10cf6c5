/** What programs of plugins write costs the service little, however much it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runner } from "./support.ts"

describe("the output of plugins", () => {
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
})
