/** How programs of plugins end, and that nothing of them is left. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { runner } from "./support.ts"

describe("a program of a plugin", () => {
  it.live("ends with its code, and what it wrote is in its log", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      for (const code of [0, 42]) {
        const { exited, id } = yield* launch("node", ["exit.mjs", String(code)])
        assert.deepStrictEqual(yield* exited, { reason: "exit", code, text: `exit status ${code}` })
        assert.sameMembers([...(yield* linesOf(id))], ["to the output", "to the error output"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is not there is not started", () =>
    Effect.gen(function* () {
      const { launch } = yield* runner
      for (const [command, message] of [
        ["./missing", "./missing: no such file"],
        ["./exit.mjs", "./exit.mjs: may not be executed"],
        ["./", "./: is no file"],
        ["", "The manifest names no command"]
      ] as const) {
        const failure = yield* Effect.flip(launch(command))
        assert.deepStrictEqual([failure._tag, failure.message], ["PluginLaunchFailed", message])
      }
      const missing = yield* Effect.flip(launch("no-such-program-anywhere"))
      assert.include(missing.message, "no-such-program-anywhere: not found in /")
    }).pipe(Effect.scoped)
  )

  it.live("is asked to end, and ends as it likes", () =>
    Effect.gen(function* () {
      const { launch, linesUntil } = yield* runner
      const { exited, id, stop } = yield* launch("./stays.sh")
      yield* linesUntil(id, "started")
      yield* stop
      assert.deepStrictEqual(yield* exited, { reason: "exit", code: 7, text: "exit status 7" })
    }).pipe(Effect.scoped)
  )

  it.live("that does not listen is ended after three seconds", () =>
    Effect.gen(function* () {
      const { launch, linesOf, linesUntil } = yield* runner
      const { exited, id, stop } = yield* launch("./deaf.sh")
      yield* linesUntil(id, "started")
      const began = performance.now()
      yield* stop
      const took = performance.now() - began
      assert.isTrue(took >= 2900 && took < 10_000, `${took} ms`)
      assert.deepStrictEqual(yield* exited, { reason: "signal", signal: "SIGKILL", text: "signal: killed" })
      assert.include(yield* linesOf(id), "asked")
    }).pipe(Effect.scoped)
  )

  it.live("is ended with its scope, without being asked", () =>
    Effect.gen(function* () {
      const { launch, linesOf, linesUntil } = yield* runner
      const scope = yield* Scope.make()
      const { exited, id } = yield* launch("./deaf.sh").pipe(Scope.provide(scope))
      yield* linesUntil(id, "started")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* exited).text, "signal: killed")
      assert.deepStrictEqual(yield* linesOf(id), ["started"])
    }).pipe(Effect.scoped)
  )
})
