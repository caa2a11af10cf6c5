/** Programs of plugins that take more than they may. */
import { getPriority } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkNone, endAsUser, limits, newMark, processesWith, runner, untilProcesses } from "./support.ts"

describe("a program of a plugin that takes too much", () => {
  for (const [what, processes] of [
    ["by itself", "none"],
    ["in several processes together", "3"]
  ] as const)
    it.live(`memory ${what} is ended`, () =>
      Effect.gen(function* () {
        const { launch } = yield* runner
        const mark = newMark()
        const { exited } = yield* launch("node", ["grows.mjs", processes, mark])
        assert.deepStrictEqual(yield* exited, {
          reason: "memory",
          signal: "SIGKILL",
          text: "it used more than 256 MiB of memory"
        })
        yield* checkNone(mark)
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

  it.live("of its disk, where it has closed that to the service, is ended", () =>
    Effect.gen(function* () {
      const script = "mkdir closed; chmod 0 closed; exec sleep 1000"
      const text = yield* endAsUser([], "/bin/sh", "-c", script)
      assert.strictEqual(text, "its files used more than 32 MiB, or were too many")
    })
  )

  for (const [what, command, args, told, least] of [
    ["one by one", "node", ["multiplies.mjs"], "EAGAIN", limits.processes / 2],
    // What it starts may all end of its own, as nothing more can be started; what was there first stays.
    ["as a fork bomb", "./forks.sh", [], "started", 1]
  ] as const)
    it.live(`of processes, ${what}, is stopped by the system, and ended with all of them`, () =>
      Effect.gen(function* () {
        const { launch, linesUntil } = yield* runner
        const mark = newMark()
        const { exited, id, stop } = yield* launch(command, [...args, mark])
        yield* linesUntil(id, told)
        yield* untilProcesses(`sleep ${mark}`, (count) => count >= least)
        yield* Effect.sleep("500 millis")
        // Those that keep it apart are counted here.
        assert.isAtMost(processesWith(mark).length, limits.processes + 10)
        const began = performance.now()
        yield* stop
        assert.isBelow(performance.now() - began, 10_000)
        yield* exited
        yield* checkNone(mark)
      }).pipe(Effect.scoped)
    )

  it.live("of the processors goes after the service", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const { exited, id } = yield* launch("nice")
      yield* exited
      assert.deepStrictEqual(yield* linesOf(id), [String(Math.min(19, getPriority() + 10))])
    }).pipe(Effect.scoped)
  )

  it.live("of the memory is ended before the service, and leaves no image of it on the disk", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const { exited, id } = yield* launch("/bin/sh", ["-c", "cat /proc/self/oom_score_adj; ulimit -c"])
      yield* exited
      assert.deepStrictEqual(yield* linesOf(id), ["1000", "0"])
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
