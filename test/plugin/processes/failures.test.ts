/** What is said where programs of plugins cannot be started, and that they can be afterwards. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failureOf } from "../../../src/layers/adapters/plugins/Host.ts"
import { runner, runnerWith } from "./support.ts"

describe("a program of a plugin", () => {
  it.live("that the system does not start can be started later", () =>
    Effect.gen(function* () {
      const { prepare, processes } = yield* runner
      // An argument that is longer than any may be.
      const program = prepare("node", ["exit.mjs", "0", "x".repeat(200_000)])
      const failure = yield* Effect.flip(Effect.scoped(processes.launch(program)))
      assert.deepStrictEqual([failure._tag, failure.message], ["PluginLaunchFailed", "spawn E2BIG"])
      const { exited } = yield* processes.launch({ ...program, args: ["exit.mjs", "0"] })
      assert.strictEqual((yield* exited).text, "exit status 0")
    }).pipe(Effect.scoped)
  )

  it.live("runs once at a time, and again when it has ended", () =>
    Effect.gen(function* () {
      const { prepare, processes } = yield* runner
      const program = prepare("./stays.sh")
      for (let n = 0; n < 2; n++) {
        const running = Effect.gen(function* () {
          yield* processes.launch(program)
          assert.strictEqual((yield* Effect.flip(processes.launch(program))).message, "It runs already")
        })
        yield* Effect.scoped(running)
      }
    }).pipe(Effect.scoped)
  )

  it.live("whose directory is gone is not started, for that reason", () =>
    Effect.gen(function* () {
      const { prepare, processes } = yield* runner
      const program = prepare("node", ["exit.mjs", "0"])
      rmSync(program.directory, { recursive: true })
      const failure = yield* Effect.flip(processes.launch(program))
      assert.include(failure.message, "ENOENT: no such file or directory")
      assert.include(failure.message, program.directory)
    }).pipe(Effect.scoped)
  )

  it.live("is started as soon as the service can write what it needs for that", () =>
    Effect.gen(function* () {
      const { isolation, prepare, processes, root } = yield* runner
      const boxes = join(root, "plugin-boxes")
      writeFileSync(boxes, "")
      const program = prepare("node", ["exit.mjs", "0"])
      const failure = yield* Effect.flip(Effect.scoped(processes.launch(program)))
      assert.include(failure.message, "ENOTDIR: not a directory")
      rmSync(boxes)
      const { exited } = yield* processes.launch(program)
      assert.strictEqual((yield* exited).text, "exit status 0")
      assert.strictEqual((yield* isolation).processes, "held")
    }).pipe(Effect.scoped)
  )

  it.live("finds no service where none listens, and the service does not mind", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const script = "fetch(process.argv[1]).catch(({ cause }) => console.log(cause.code))"
      const { exited, id } = yield* launch("node", ["--eval", script, "http://127.0.0.1:2/"], {
        servicePort: 2
      })
      assert.strictEqual((yield* exited).text, "exit status 0")
      assert.match((yield* linesOf(id))[0] ?? "", /^(UND_ERR_SOCKET|ECONNRESET)$/)
    }).pipe(Effect.scoped)
  )

  it.live("runs without the limits of the system where they do not work, and that is said", () =>
    Effect.gen(function* () {
      const { isolation, launch } = yield* runnerWith({ without: ["limits"] })
      const { exited } = yield* launch("node", ["exit.mjs", "3"])
      assert.strictEqual((yield* exited).text, "exit status 3")
      assert.deepInclude(yield* isolation, {
        limits: { because: "prlimit of util-linux does not work here" },
        processes: "held"
      })
    }).pipe(Effect.scoped)
  )
})

describe("a program of the system that keeps plugins apart", () => {
  it.each([
    [["true"], undefined],
    [["no-such-program"], "no-such-program does not work here (ENOENT)"],
    [["false"], "false does not work here (1)"],
    [["sh", "-c", "kill -9 $$"], "sh does not work here (SIGKILL)"],
    [["sh", "-c", "echo why >&2; echo more >&2; exit 1"], "why"]
  ] as const)("%j: %s", async (command, reason) => {
    assert.strictEqual(await failureOf(command), reason)
  })
})
