/** Backups that are made again and again: alone, when they are due, and in place of the oldest. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { nameOf } from "../../src/layers/backup/BackupNames.ts"
import type { Outcome } from "../../src/operator/backup/nextBackup.ts"
import { OperatorFailure } from "../../src/operator/OperatorFailure.ts"
import { connect } from "../../src/operator/shared/Session.ts"
import { freshDatabase } from "../process/support.ts"
import { check, directory, makeNextIn } from "./backups.ts"

const series = "forum.example"
const day = 24 * 60 * 60_000
// Names have no milliseconds.
const began = Date.parse("2026-11-26T03:40:00.700Z")

const nameAgo = (days: number) => nameOf(series, new Date(began - days * day))

const surroundings = Effect.gen(function* () {
  const [url, dataDir, parent] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
  yield* TestClock.setTime(began)
  return {
    env: { DATABASE_URL: url, DATA_DIR: dataDir, DISK_RESERVE_MEGABYTES: "0" },
    url,
    backups: join(parent, "made", "here")
  }
})

const made = (outcome: Outcome) => {
  assert.strictEqual(outcome._tag, "Made")
  return outcome._tag === "Made" ? outcome : assert.fail()
}

describe("the next backup", () => {
  it.effect("is named by its time in a directory that is made for nobody else", () =>
    Effect.gen(function* () {
      const { backups, env } = yield* surroundings
      const next = { directory: backups, series, every: day, keep: undefined }
      const { file, removed, size } = made(yield* makeNextIn(env, next))
      assert.strictEqual(file, join(backups, "forum.example-20261126T034000Z.tar.zst"))
      assert.deepStrictEqual([removed, size], [[], statSync(file).size])
      assert.strictEqual(statSync(backups).mode & 0o777, 0o700)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      yield* check(file)

      yield* TestClock.adjust(day - 701)
      const { dueAt, newest } = yield* Effect.map(makeNextIn(env, next), (outcome) =>
        outcome._tag === "NotDue" ? outcome : assert.fail(outcome._tag)
      )
      assert.deepStrictEqual([newest.name, dueAt], [nameAgo(0), began - 700 + day])
      yield* TestClock.adjust(1)
      made(yield* makeNextIn(env, next))
      yield* TestClock.adjust("1 second")
      made(yield* makeNextIn(env, { ...next, every: undefined }))
      assert.lengthOf(readdirSync(backups), 3)
    })
  )

  it.effect("takes the place of the oldest whole one, and of nothing that is not of its forum", () =>
    Effect.gen(function* () {
      const { backups, env } = yield* surroundings
      mkdirSync(backups, { recursive: true })
      yield* TestClock.setTime(began - 4 * day)
      const next = { directory: backups, series, every: day, keep: 3 }
      const { file } = made(yield* makeNextIn(env, next))
      for (const days of [1, 3]) copyFileSync(file, join(backups, nameAgo(days)))
      writeFileSync(join(backups, nameAgo(2)), readFileSync(file).subarray(0, -1))
      const others = [
        "today.tar.zst",
        "notes",
        `other-${nameAgo(9)}`,
        `${nameAgo(9)}.gpg`,
        `other-${nameAgo(9)}.0123456789ab.unfinished`
      ]
      for (const name of others) writeFileSync(join(backups, name), "")
      mkdirSync(join(backups, nameAgo(8)))
      symlinkSync(file, join(backups, nameAgo(7)))
      writeFileSync(join(backups, `${nameAgo(9)}.0123456789ab.unfinished`), "")

      yield* TestClock.setTime(began)
      const { removed } = made(yield* makeNextIn(env, next))
      assert.deepStrictEqual(removed, [nameAgo(4)])
      const kept = [nameAgo(0), nameAgo(1), nameAgo(2), nameAgo(3), nameAgo(7), nameAgo(8)]
      assert.deepStrictEqual(readdirSync(backups).toSorted(), [...kept, ...others].toSorted())
    })
  )

  it.effect("is read again before others go, and goes itself where it is damaged", () =>
    Effect.gen(function* () {
      const { backups, env } = yield* surroundings
      mkdirSync(backups, { recursive: true })
      writeFileSync(join(backups, nameAgo(1)), "an older one")
      const file = join(backups, nameAgo(0))
      // The line of the progress ends when the file is there, and before it is read.
      const damaging = {
        isTTY: true,
        write: (text: string) => {
          if (text === "\r\x1b[K") appendFileSync(file, "\0")
          return true
        }
      }
      const failure = yield* Effect.flip(
        makeNextIn(env, { directory: backups, series, every: undefined, keep: 1 }, damaging)
      )
      assert.match(failure.message, /no whole backup/)
      assert.deepStrictEqual(readdirSync(backups), [nameAgo(1)])
    })
  )

  it.effect("is made once, however many ask for it at the same time", () =>
    Effect.gen(function* () {
      const { backups, env, url } = yield* surroundings
      const next = { directory: backups, series, every: day, keep: 7 }
      const outcomes = yield* Effect.all(
        Array.from({ length: 5 }, () => makeNextIn(env, next)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        outcomes.filter(({ _tag }) => _tag === "Made"),
        1
      )
      assert.lengthOf(readdirSync(backups), 1)

      yield* TestClock.adjust(day)
      const holder = yield* connect({ url: Redacted.make(url) })
      yield* Effect.promise(() => holder.begin())
      yield* Effect.promise(() => holder.run("select pg_advisory_xact_lock(731620091, 0)"))
      assert.deepStrictEqual(yield* makeNextIn(env, next), { _tag: "Another" })
      yield* Effect.promise(() => holder.run("commit"))
      made(yield* makeNextIn(env, next))
    }).pipe(Effect.scoped)
  )

  it.effect("fails where little of the disk is free, and leaves nothing", () =>
    Effect.gen(function* () {
      const { backups, env } = yield* surroundings
      const failure = yield* Effect.flip(
        makeNextIn(
          { ...env, DISK_RESERVE_MEGABYTES: "100000000" },
          { directory: backups, series, every: day, keep: 7 }
        )
      )
      assert.instanceOf(failure, OperatorFailure)
      assert.match(failure.message, /kept free \(DISK_RESERVE_MEGABYTES\)/)
      assert.deepStrictEqual(readdirSync(backups), [])
    })
  )

  it.effect("fails where its directory cannot be made", () =>
    Effect.gen(function* () {
      const { backups, env } = yield* surroundings
      mkdirSync(join(backups, ".."), { recursive: true })
      writeFileSync(backups, "a file")
      const failure = yield* Effect.flip(makeNextIn(env, { directory: backups, series, every: day, keep: 7 }))
      assert.match(failure.message, /The backup was not made: /)
    })
  )
})
