/** Programs of plugins that take more than they may. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertNone, limits, runner } from "./support.ts"

describe("a program of a plugin that takes too much", () => {
  for (const [what, args] of [
    ["by itself", ["grows.mjs", "none"]],
    ["in several processes together", ["grows.mjs", "3"]]
  ] as const)
    it.live(`memory ${what} is ended`, () =>
      Effect.gen(function* () {
        const { launch } = yield* runner
        const { exited } = yield* launch("node", args)
        assert.deepStrictEqual(yield* exited, {
          reason: "memory",
          signal: "SIGKILL",
          text: "it used more than 256 MiB of memory"
        })
        yield* assertNone("grows.mjs")
      }).pipe(Effect.scoped)
    )

  for (const how of ["many", "tiny", "nameless"])
    it.live(`of its disk, by files that are ${how}, is ended`, () =>
      Effect.gen(function* () {
        const { launch } = yield* runner
        const { exited } = yield* launch("node", ["fills.mjs", how], {
          limits: { ...limits, openFiles: 4096 }
        })
        assert.deepStrictEqual(yield* exited, {
          reason: "disk",
          signal: "SIGKILL",
          text: "its files used more than 32 MiB, or were too many"
        })
      }).pipe(Effect.scoped)
    )

  it.live("cannot write a file beyond its length", () =>
    Effect.gen(function* () {
      const { launch, linesUntil } = yield* runner
      const { id } = yield* launch("node", ["fills.mjs", "long"])
      yield* linesUntil(id, "EFBIG")
    }).pipe(Effect.scoped)
  )

  it.live("cannot open more files than it may", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const { exited, id } = yield* launch("node", ["opens.mjs"])
      assert.strictEqual((yield* exited).text, "exit status 0")
      const [line] = yield* linesOf(id)
      assert.match(line ?? "", /^EMFILE 2\d\d$/)
    }).pipe(Effect.scoped)
  )
})
