import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { NamedBackup } from "../../../src/layers/backup/BackupNames.ts"
import { failuresInARow, followSchedule, lastMade } from "../../../src/layers/backup/BackupSchedule.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const began = Date.parse("2026-11-26T00:00:00Z")

type Made = "made" | "failed" | "by another" | "never"

/** Follows a schedule of a day. `become` says what becomes of each try. */
const follow = Effect.fnUntraced(function* (
  become: (n: number) => Made,
  backups: Array<NamedBackup> = [],
  list: Effect.Effect<ReadonlyArray<NamedBackup>, unknown> = Effect.sync(() => backups)
) {
  const tries: Array<number> = []
  const reported: Array<unknown> = []
  yield* TestClock.setTime(began)
  const make = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    tries.push((now - began) / hour)
    const made = become(tries.length)
    if (made === "never") return yield* Effect.never
    if (made === "failed") return yield* Effect.fail(`no room ${tries.length}`)
    if (made === "made") backups.push({ name: "", at: now })
  })
  const report = (cause: Cause.Cause<unknown>) => Effect.sync(() => void reported.push(Cause.squash(cause)))
  const fiber = yield* Effect.forkChild(followSchedule({ every: day, list, make, report }))
  yield* TestClock.adjust(0)
  return { backups, fiber, reported, tries }
})

describe("scheduled backups", () => {
  it.effect("are made at once, and then at their interval", () =>
    Effect.gen(function* () {
      const { tries } = yield* follow(() => "made")
      assert.deepStrictEqual(tries, [0])
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(tries, [0])
      yield* TestClock.adjust("50 hours")
      assert.deepStrictEqual(tries, [0, 24, 48, 72])
    })
  )

  it.effect("are made up for when the service was down, and not made early when it starts", () =>
    Effect.gen(function* () {
      const late = yield* follow(() => "made", [{ name: "", at: began - 3 * day }])
      assert.deepStrictEqual(late.tries, [0])
      const early = yield* follow(() => "made", [{ name: "", at: began - 10 * hour }])
      assert.deepStrictEqual(early.tries, [])
      yield* TestClock.adjust("14 hours")
      assert.deepStrictEqual(early.tries, [14])
    })
  )

  it.effect("that fail are told of, and made again after pauses that grow until one is made", () =>
    Effect.gen(function* () {
      const { reported, tries } = yield* follow((n) => (n === 4 ? "made" : "failed"))
      assert.deepStrictEqual(reported, ["no room 1"])
      assert.strictEqual((yield* Metric.value(failuresInARow)).value, 1)
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(tries, [0, 5 / 60, 15 / 60])
      assert.strictEqual((yield* Metric.value(failuresInARow)).value, 3)
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(tries.slice(3), [35 / 60])
      assert.strictEqual((yield* Metric.value(failuresInARow)).value, 0)
      assert.strictEqual((yield* Metric.value(lastMade)).value, began / 1000 + 35 * 60)
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(tries.slice(4), [24 + 35 / 60])
      assert.deepStrictEqual(reported, ["no room 1", "no room 2", "no room 3", "no room 5"])
    })
  )

  it.effect("are looked for again while another instance makes one", () =>
    Effect.gen(function* () {
      const { backups, tries } = yield* follow((n) => (n < 3 ? "by another" : "made"))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(tries, [0, 1 / 60])
      backups.push({ name: "", at: began })
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(tries, [0, 1 / 60])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(tries.slice(2), [24])
    })
  )

  it.effect("are made within ten minutes after the newest one was removed", () =>
    Effect.gen(function* () {
      const { backups, tries } = yield* follow(() => "made")
      yield* TestClock.adjust("1 hour")
      backups.length = 0
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(tries, 2)
    })
  )

  it.effect("where the directory cannot be read are failures as well", () =>
    Effect.gen(function* () {
      let looks = 0
      const list = Effect.suspend(() => (++looks < 3 ? Effect.fail("no permission") : Effect.succeed([])))
      const { reported, tries } = yield* follow(() => "never", [], list)
      assert.deepStrictEqual([reported, tries], [["no permission"], []])
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual([reported, tries], [["no permission", "no permission"], [0.25]])
    })
  )

  it.effect("are interrupted without being told of as failures", () =>
    Effect.gen(function* () {
      const { fiber, reported } = yield* follow(() => "never")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(reported, [])
    })
  )
})
