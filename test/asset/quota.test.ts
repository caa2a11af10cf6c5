/** How much an account may upload on a day. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { UploadQuota, UploadQuotaExceeded } from "../../src/domain/asset/UploadQuota.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, png } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const kibibyte = 1024
const maximum = 256 * kibibyte

const limited = (quota: number | undefined) =>
  People.withCast(TestApp.layer.pipe(Layer.provide(Layer.succeed(UploadQuota, quota))))

const put = (person: Person, kibibytes: number) =>
  person.post("/assets", new Uint8Array(kibibytes * kibibyte).fill(7))

const filesIn = (folder: "files" | "incoming") =>
  Effect.flatMap(AssetFiles, ({ directory }) =>
    Effect.promise(() => readdir(join(directory, folder)).catch(() => []))
  )

const stored = SqlClient.SqlClient.use(
  (sql) =>
    sql<{ readonly account_id: string }>`select account_id from assets union all select id from asset_uploads`
)

layer(limited(maximum))("an account", (it) => {
  it.effect("uploads so much on a day, and others do so beside it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      ok(yield* put(freya, 100))
      ok(yield* put(freya, 100))
      // One that does not fit leaves nothing, and does not count.
      assertProblem(yield* put(freya, 57), UploadQuotaExceeded, { maximum, retry_after: 86_400 })
      assertProblem(yield* put(freya, 300), UploadQuotaExceeded, { maximum, retry_after: 86_400 })
      assert.strictEqual((yield* stored).length, 2)
      assert.strictEqual((yield* filesIn("files")).length, 2)
      assert.deepStrictEqual(yield* filesIn("incoming"), [])
      // What is left counts, however short it is.
      assertProblem(yield* put(freya, 1), UploadQuotaExceeded)
      ok(yield* put(loki, 256))
      const refused = yield* put(loki, 1)
      assertProblem(refused, UploadQuotaExceeded)
      assert.strictEqual(refused.headers["retry-after"], "86400")
    })
  )

  it.effect("cannot send many files instead of large ones", () =>
    Effect.gen(function* () {
      const tiny = yield* signUp("tiny")
      for (let n = 0; n < 4; n++) ok(yield* tiny.post("/assets", bytesOf("x")))
      assertProblem(yield* tiny.post("/assets", bytesOf("x")), UploadQuotaExceeded)
    })
  )

  it.effect("has no more by uploading at the same time", () =>
    Effect.gen(function* () {
      const racer = yield* signUp("racer")
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => put(racer, 64)),
        { concurrency: "unbounded" }
      )
      const kept = answers.filter(({ status }) => status === 200).length
      assert.strictEqual(kept, 4)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, UploadQuotaExceeded)
      }
    })
  )

  it.effect("has no more by changing its avatar, which stays then", () =>
    Effect.gen(function* () {
      const painter = yield* signUp("painter")
      const set = (width: number) => painter.post("/accounts/self/avatar", png(width, 1))
      for (let width = 1; width <= 4; width++) assert.strictEqual((yield* set(width)).status, 200)
      const sql = yield* SqlClient.SqlClient
      const avatar = sql`select avatar_id from accounts where id = ${painter.id}`
      const before = yield* avatar
      assertProblem(yield* set(5), UploadQuotaExceeded)
      assert.deepStrictEqual(yield* avatar, before)
    })
  )

  it.effect("has as much again on the next day, which begins at midnight in UTC", () =>
    Effect.gen(function* () {
      const owl = yield* signUp("owl")
      ok(yield* put(owl, 256))
      yield* TestClock.adjust("23 hours")
      assertProblem(yield* put(owl, 1), UploadQuotaExceeded, { maximum, retry_after: 3600 })
      yield* TestClock.adjust("1 hour")
      ok(yield* put(owl, 200))
      assertProblem(yield* put(owl, 100), UploadQuotaExceeded, { maximum, retry_after: 86_400 })
    })
  )
})

layer(limited(undefined))("without a limit", (it) => {
  it.effect("an account uploads as much as it wants", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (let n = 0; n < 3; n++) ok(yield* put(freya, 1000))
    })
  )
})
