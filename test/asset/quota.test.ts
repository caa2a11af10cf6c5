/** How much may be uploaded on a day: by an account, from a network, and by all. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { UploadQuotaExceeded } from "../../src/domain/asset/UploadQuota.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { drawing } from "../instance/support.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { bytesOf, png } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as Quotas from "../support/quotas.ts"
import * as TestApp from "../support/TestApp.ts"
import { begin } from "../support/uploading.ts"

const kibibyte = 1024
const maximum = 256 * kibibyte

const quota = "account"

/** These quotas and no other, for clients that are behind a proxy. */
const limited = (quotas: Parameters<typeof Quotas.only>[0]) =>
  People.withCast(
    TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.0/8", "::1"]) }).pipe(
      Layer.provide(Quotas.only(quotas))
    )
  )

const file = (kibibytes: number) => new Uint8Array(kibibytes * kibibyte).fill(7)

const put = (person: Person, kibibytes: number) => person.post("/assets", file(kibibytes))

const putFrom = (address: string, person: Person, kibibytes: number) =>
  person.post("/assets", file(kibibytes), { "x-forwarded-for": address })

const filesIn = (folder: "files" | "incoming") =>
  Effect.flatMap(AssetFiles, ({ directory }) =>
    Effect.promise(() => readdir(join(directory, folder)).catch(() => []))
  )

const stored = SqlClient.SqlClient.use(
  (sql) =>
    sql<{ readonly account_id: string }>`select account_id from assets union all select id from asset_uploads`
)

layer(limited({ account: maximum }))("an account", (it) => {
  it.effect("uploads so much on a day, and others do so beside it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      // One that does not fit leaves nothing, and does not count.
      assertProblem(yield* put(freya, 300), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
      assert.deepStrictEqual(yield* stored, [])
      ok(yield* put(freya, 100))
      ok(yield* put(freya, 100))
      assertProblem(yield* put(freya, 57), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
      assertProblem(yield* put(freya, 300), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
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
      assertProblem(yield* put(owl, 1), UploadQuotaExceeded, { quota, maximum, retry_after: 3600 })
      yield* TestClock.adjust("1 hour")
      ok(yield* put(owl, 200))
      assertProblem(yield* put(owl, 100), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
    })
  )
})

layer(limited({}))("without a limit", (it) => {
  it.effect("an account uploads as much as it wants", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (let n = 0; n < 3; n++) ok(yield* put(freya, 1000))
    })
  )
})

layer(limited({ account: maximum, firstDay: 128 * kibibyte }))("in its first 24 hours", (it) => {
  const early = { quota: "first_day", maximum: 128 * kibibyte } as const

  it.effect("an account may upload less", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      ok(yield* put(freya, 128))
      assertProblem(yield* put(freya, 1), UploadQuotaExceeded, { ...early, retry_after: 86_400 })
      assertProblem(yield* put(loki, 129), UploadQuotaExceeded, { ...early, retry_after: 86_400 })
      ok(yield* put(loki, 1))
    })
  )

  it.effect("an administrator may upload as much as others do later", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* put(odin, 256))
      assertProblem(yield* put(odin, 1), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
    })
  )

  it.effect("an account waits for their end, or for the next day", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("20 hours")
      const late = yield* signUp("late")
      ok(yield* put(late, 128))
      assertProblem(yield* put(late, 1), UploadQuotaExceeded, { ...early, retry_after: 4 * 3600 })
      yield* TestClock.adjust("4 hours")
      ok(yield* put(late, 128))
      yield* TestClock.adjust("19 hours")
      assertProblem(yield* put(late, 1), UploadQuotaExceeded, { ...early, retry_after: 3600 })
      yield* TestClock.adjust("1 hour")
      ok(yield* put(late, 128))
      assertProblem(yield* put(late, 1), UploadQuotaExceeded, { quota, maximum, retry_after: 4 * 3600 })
    })
  )
})

layer(limited({ account: 64 * kibibyte, firstDay: 128 * kibibyte }))(
  "a smaller quota of all accounts",
  (it) => {
    it.effect("holds in their first 24 hours, too", () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        assertProblem(yield* put(freya, 65), UploadQuotaExceeded, {
          quota,
          maximum: 64 * kibibyte,
          retry_after: 86_400
        })
      })
    )
  }
)

/** Which quota refuses a file of which nothing is sent. */
const refusedUnread = Effect.fnUntraced(function* (person: Person, address: string) {
  const headers = { ...person.headers, "x-forwarded-for": address }
  const { answer, breakOff } = yield* begin({ headers }, 1024 * kibibyte)
  const { status, text } = yield* answer
  breakOff()
  assert.strictEqual(status, 429, text)
  return JSON.parse(text).metadata.quota
})

/** Of ten files of 64 KiB, each by another account, as many must be stored as a shared quota has room for. */
const race = Effect.fnUntraced(function* (name: string, addressOf: (n: number) => string) {
  const people = yield* Effect.forEach(
    Array.from({ length: 10 }, (_, n) => `${name}${n}`),
    signUp
  )
  const answers = yield* Effect.all(
    people.map((person, n) => putFrom(addressOf(n), person, 64)),
    { concurrency: "unbounded" }
  )
  const [kept, refused] = [200, 429].map((status) => answers.filter((answer) => answer.status === status))
  assert.strictEqual(kept?.length, 4)
  return refused ?? []
})

const assertRefused = (answers: ReadonlyArray<Answer>, quota: "network" | "instance") => {
  assert.strictEqual(answers.length, 6)
  for (const answer of answers) {
    assertProblem(answer, UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
  }
}

layer(limited({ account: 1024 * kibibyte, network: maximum }))("a network", (it) => {
  const quota = "network"

  it.effect("uploads so much on a day, by however many accounts, and others do so beside it", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      ok(yield* putFrom("203.0.113.1", freya, 100))
      ok(yield* putFrom("203.0.113.1", loki, 100))
      // One that does not fit counts for nobody.
      for (let n = 0; n < 20; n++) {
        assertProblem(yield* putFrom("203.0.113.1", tyr, 100), UploadQuotaExceeded, {
          quota,
          maximum,
          retry_after: 86_400
        })
      }
      ok(yield* putFrom("203.0.113.2", tyr, 256))
      assertProblem(yield* putFrom("203.0.113.2", freya, 1), UploadQuotaExceeded, {
        quota,
        maximum,
        retry_after: 86_400
      })
      // What is left is less than any file counts as.
      assert.strictEqual(yield* refusedUnread(tyr, "203.0.113.1"), quota)
      ok(yield* putFrom("203.0.113.3", tyr, 256))
    })
  )

  it.effect("is 64 bits of IPv6", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      ok(yield* putFrom("2001:db8::1", freya, 256))
      assertProblem(yield* putFrom("2001:db8::ffff:2", loki, 1), UploadQuotaExceeded)
      ok(yield* putFrom("2001:db8:0:1::1", loki, 1))
    })
  )

  it.effect("has no more by uploading at the same time, also the first time", () =>
    Effect.gen(function* () {
      assertRefused(yield* race("crowd", () => "203.0.113.9"), quota)
      assert.deepStrictEqual(yield* filesIn("incoming"), [])
    })
  )

  it.effect("waits for uploads that are being counted", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const address = "203.0.113.10"
      ok(yield* putFrom(address, loki, 64))
      const count = sql`select count_upload('1970-01-01', ${128 * kibibyte}, ${loki.id}, null, ${address}, null, null)`
      const other = yield* sql.withTransaction(
        Effect.gen(function* () {
          // As one does that has locked the sum and not yet added to it.
          yield* sql`select from upload_totals where name = ${address} for update`
          const other = yield* Effect.forkChild(putFrom(address, freya, 128))
          yield* Effect.raceFirst(untilWaiting(1), Fiber.await(other))
          yield* count
          return other
        })
      )
      assertProblem(yield* Fiber.join(other), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
    })
  )

  it.effect("has no more by avatars and by files that the service fetches", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* Pages.clear
      const from = { "x-forwarded-for": "203.0.113.20" }
      for (let width = 1; width <= 4; width++) {
        ok(yield* freya.post("/accounts/self/avatar", png(width, 1), from))
      }
      assertProblem(yield* freya.post("/accounts/self/avatar", png(5, 1), from), UploadQuotaExceeded)
      Pages.put("https://a.test/1", Pages.page("", { body: bytesOf("1") }))
      const fetched = { name: "Fetched", asset_sources: ["https://a.test/1"] }
      assertProblem(yield* freya.post("/nodes", fetched, from), UploadQuotaExceeded, {
        quota,
        maximum,
        retry_after: 86_400
      })
      const { id } = ok(yield* freya.post("/nodes", { name: "Plain" }, from))
      const changes = {
        body: { asset_sources: ["https://a.test/1"] },
        headers: { ...freya.headers, ...from }
      }
      assertProblem(yield* People.call("PATCH", `/api/nodes/${id}`, changes), UploadQuotaExceeded)
    })
  )

  it.effect("has no more by icons of the instance, which stay then", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_SETTINGS")
      const from = "203.0.113.30"
      ok(yield* putFrom(from, tyr, 192))
      const image = yield* drawing(10, 10)
      const set = tyr.post("/info/icon", image, { "x-forwarded-for": from })
      ok(yield* set)
      assertProblem(yield* set, UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
    })
  )

  it.effect("keeps no administrator from uploading, whose files count", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      ok(yield* putFrom("203.0.113.40", odin, 256))
      assertProblem(yield* putFrom("203.0.113.40", freya, 1), UploadQuotaExceeded)
      ok(yield* putFrom("203.0.113.40", odin, 256))
    })
  )

  it.effect("has as much again on the next day, and is forgotten a day later", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { forgetUploaded } = yield* Assets
      const sql = yield* SqlClient.SqlClient
      const days = sql`select distinct day::text as day from upload_totals order by 1`
      yield* putFrom("203.0.113.50", freya, 256)
      yield* TestClock.adjust("1 day")
      ok(yield* putFrom("203.0.113.50", freya, 256))
      yield* forgetUploaded
      assert.deepStrictEqual(yield* days, [{ day: "1970-01-01" }, { day: "1970-01-02" }])
      assertProblem(yield* putFrom("203.0.113.50", freya, 1), UploadQuotaExceeded)
      yield* TestClock.adjust("1 day")
      yield* forgetUploaded
      assert.deepStrictEqual(yield* days, [{ day: "1970-01-02" }])
    })
  )
})

layer(limited({ account: 128 * kibibyte, instance: maximum }))("all together", (it) => {
  const quota = "instance"

  it.effect("have no more by uploading at the same time from many networks", () =>
    Effect.gen(function* () {
      assertRefused(yield* race("mob", (n) => `198.51.100.${n}`), quota)
    })
  )

  it.effect("keep no administrator from uploading, who has a quota as an account", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assertProblem(yield* put(freya, 1), UploadQuotaExceeded, { quota, maximum, retry_after: 86_400 })
      ok(yield* put(odin, 128))
      assertProblem(yield* put(odin, 1), UploadQuotaExceeded, {
        quota: "account",
        maximum: 128 * kibibyte,
        retry_after: 86_400
      })
    })
  )

  it.effect("are refused before a file is received", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assert.strictEqual(yield* refusedUnread(freya, "203.0.113.1"), quota)
    })
  )
})
