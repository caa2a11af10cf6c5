/** The logs of plugins as files. */
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { logLimits, type PluginLogs } from "../../../src/domain/plugin/PluginLogs.ts"
import { make } from "../../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { someDirectory } from "./support.ts"

const id = "0000000000000000000g"
const other = "000000000000000000a0"

const logs = Effect.map(someDirectory, (root) => ({ root, directory: join(root, id), logs: make(root) }))

const numbersIn = (directory: string) => readdirSync(directory).sort()

/** The lines up to one. */
const until = (log: PluginLogs["Service"], last: string) =>
  log.follow(id).pipe(
    Stream.takeUntil((line) => line === last),
    Stream.runCollect,
    Effect.timeout("20 seconds")
  )

/** So many lines of a kibibyte, with their numbers. */
const kibibytes = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `${from + at} `.padEnd(1023, "x"))

const append = (log: PluginLogs["Service"], lines: ReadonlyArray<string>) => log.append(id, lines)

describe("logs of plugins", () => {
  it.live("keep lines in their order, for their owner alone, through a restart", () =>
    Effect.gen(function* () {
      const { directory, logs: log, root } = yield* logs
      yield* append(log, ["a", "b"])
      yield* log.append(other, ["of another"])
      yield* append(log, ["c"])
      assert.deepStrictEqual([...(yield* until(log, "c"))], ["a", "b", "c"])
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
      assert.strictEqual(statSync(join(directory, "1.log")).mode & 0o777, 0o600)
      const again = make(root)
      yield* append(again, ["d"])
      assert.deepStrictEqual([...(yield* until(again, "d"))], ["a", "b", "c", "d"])
    }).pipe(Effect.scoped)
  )

  it.live("are read as they grow, by several readers", () =>
    Effect.gen(function* () {
      const { logs: log } = yield* logs
      const early = yield* Effect.forkScoped(until(log, "end"))
      yield* append(log, ["a"])
      const late = yield* Effect.forkScoped(until(log, "end"))
      yield* append(log, ["b"])
      yield* log.rotate(id)
      yield* append(log, ["c", "end"])
      for (const reader of [early, late])
        assert.deepStrictEqual([...(yield* Fiber.join(reader))], ["a", "b", "c", "end"])
    }).pipe(Effect.scoped)
  )

  it.live("have a file in use and three older ones of a mebibyte each", () =>
    Effect.gen(function* () {
      const { directory, logs: log } = yield* logs
      for (let from = 0; from < 6000; from += 500) yield* append(log, kibibytes(from, 500))
      yield* append(log, ["end"])
      const files = numbersIn(directory)
      assert.strictEqual(files.length, 1 + logLimits.olderFiles)
      for (const file of files) assert.isAtMost(statSync(join(directory, file)).size, logLimits.fileBytes)
      const lines = [...(yield* until(log, "end"))]
      assert.isAbove(lines.length, 3 * 960)
      const first = Number.parseInt(lines[0] ?? "", 10)
      assert.deepStrictEqual(lines, [...kibibytes(first, 6000 - first), "end"])
    }).pipe(Effect.scoped)
  )

  it.live("begin a new file when a program has ended, unless it wrote nothing", () =>
    Effect.gen(function* () {
      const { directory, logs: log } = yield* logs
      yield* log.rotate(id)
      yield* append(log, ["a"])
      yield* log.rotate(id)
      yield* log.rotate(id)
      yield* append(log, ["b"])
      assert.deepStrictEqual(numbersIn(directory), ["1.log", "2.log"])
    }).pipe(Effect.scoped)
  )

  it.live("tell a slow reader that lines were replaced", () =>
    Effect.gen(function* () {
      const { logs: log } = yield* logs
      yield* append(log, ["a"])
      let seen = 0
      const reader = yield* log.follow(id).pipe(
        Stream.takeUntil((line) => line === "end"),
        // After the first line, it reads on when all has been written.
        Stream.tap(() =>
          seen++ === 0
            ? Effect.forEach([0, 1, 2, 3, 4, 5], (part) => append(log, kibibytes(part * 1000, 1000))).pipe(
                Effect.andThen(append(log, ["end"]))
              )
            : Effect.void
        ),
        Stream.runCollect,
        Effect.timeout("20 seconds")
      )
      const lines = [...reader]
      assert.deepStrictEqual(lines.slice(0, 2), ["a", "[lines were replaced before they were read]"])
      assert.isAbove(lines.length, 2900)
      assert.isBelow(lines.length, 4100)
    }).pipe(Effect.scoped)
  )

  it.live("say how much could not be written", () =>
    Effect.gen(function* () {
      const { directory, logs: log } = yield* logs
      // A file stands where the directory has to be.
      writeFileSync(directory, "")
      yield* append(log, ["lost", "lost"])
      rmSync(directory)
      yield* append(log, ["kept"])
      assert.deepStrictEqual(
        [...(yield* until(log, "kept"))],
        ["[10 bytes of output could not be kept]", "kept"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("are gone when they are removed, and their readers are done", () =>
    Effect.gen(function* () {
      const { directory, logs: log } = yield* logs
      yield* append(log, ["a"])
      const reader = yield* Effect.forkScoped(Stream.runCollect(log.follow(id)))
      yield* until(log, "a")
      yield* log.remove(id)
      assert.deepStrictEqual([...(yield* Fiber.join(reader))].slice(0, 1), ["a"])
      assert.isFalse(existsSync(directory))
      yield* append(log, ["new"])
      assert.deepStrictEqual([...(yield* until(log, "new"))], ["new"])
    }).pipe(Effect.scoped)
  )

  it.live("are kept for 28 days", () =>
    Effect.gen(function* () {
      const { directory, logs: log } = yield* logs
      const days = (count: number) => Date.now() / 1000 - count * 86_400
      for (const [number, age] of [
        [1, 29],
        [2, 27]
      ] as const) {
        yield* append(log, [`of ${age} days`])
        utimesSync(join(directory, `${number}.log`), days(age), days(age))
        yield* log.rotate(id)
      }
      yield* log.clean
      yield* append(log, ["end"])
      assert.deepStrictEqual([...(yield* until(log, "end"))], ["of 27 days", "end"])
      for (const file of numbersIn(directory)) utimesSync(join(directory, file), days(30), days(30))
      yield* log.clean
      assert.deepStrictEqual(numbersIn(directory), [])
      yield* append(log, ["later"])
      assert.deepStrictEqual([...(yield* until(log, "later"))], ["later"])
    }).pipe(Effect.scoped)
  )
})
