/** Own data: who gets it, what is in it, how long it is kept, and what becomes of it where making it fails. */
import { createHash } from "node:crypto"
import { assert, layer, it as plain } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { attemptsMax } from "../../src/domain/authentication/Attempt.ts"
import { isRecent, SignInNotRecent } from "../../src/domain/authentication/OwnerProof.ts"
import { PasswordWrong, TooManyAttempts } from "../../src/domain/authentication/Password.ts"
import {
  OwnDataNotFound,
  OwnDataNotReady,
  OwnDataRunning,
  TooManyOwnData
} from "../../src/domain/owndata/OwnData.ts"
import { OwnDataMaking } from "../../src/domain/owndata/OwnDataMaking.ts"
import { decideAsking, decideNextTry } from "../../src/domain/owndata/OwnDataRules.ts"
import { OwnDataStore } from "../../src/domain/owndata/OwnDataStore.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { recordsIn, schemaErrors, undescribed } from "../operator/exports.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { download, png, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, password, personIn, signIn, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { archive, collect, ownDataOf, path } from "./support.ts"

const rows = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly key: string | null; readonly turn: number }>`select key, turn from own_data_exports`
)

/** Whether the bytes of a file are there. */
const isStored = (key: string) =>
  AssetBytes.use((bytes) => Effect.scoped(Effect.map(bytes.open({ store: "disk", key }), Option.isSome)))

layer(People.layer)("own data", (it) => {
  it.effect("is asked for with the password, made, told by a notification, and kept for seven days", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* TestClock.adjust("1 hour")
      assertProblem(yield* freya.get(path), OwnDataNotFound)
      assertProblem(yield* freya.post(path, {}), SignInNotRecent)
      assertProblem(yield* freya.post(path, { password: "wrong" }), PasswordWrong)
      assertInvalid(yield* freya.post(path, { password: "x".repeat(10_001) }), "body password")
      const asked = { state: "waiting", requested_at: "1970-01-01T01:00:00.000Z" }
      assert.deepStrictEqual(ok(yield* freya.post(path, { password })), asked)
      assertProblem(yield* freya.post(path, { password }), OwnDataRunning)
      assert.deepStrictEqual(ok(yield* freya.get(path)), asked)
      assertProblem(yield* freya.get(archive), OwnDataNotReady)
      yield* drainEvents
      assert.deepStrictEqual(ok(yield* freya.get("/notifications")).notifications, [])
      yield* TestClock.adjust("1 second")
      yield* collect
      yield* drainEvents
      const { size, ...ready } = ok(yield* freya.get(path))
      assert.deepStrictEqual(ready, {
        ...asked,
        state: "ready",
        made_at: "1970-01-01T01:00:01.000Z",
        expires_at: "1970-01-08T01:00:01.000Z",
        path: `/api${archive}`
      })
      const { notifications } = ok(yield* freya.get("/notifications"))
      assert.deepStrictEqual(
        notifications.map(({ event }: { readonly event: string }) => event),
        ["account_export_ready"]
      )
      const { events } = ok(yield* odin.get("/admin/audit-events?types=account_export_requested"))
      assert.strictEqual(events.length, 1)
      assert.deepInclude(events[0], { account_id: freya.id })
      const { bytes, headers, status } = yield* download(ready.path, freya.headers)
      assert.strictEqual(status, 200)
      assert.strictEqual(bytes.length, size)
      assert.strictEqual(headers["content-type"], "application/zip")
      assert.strictEqual(headers["cache-control"], "private, no-store")
      assert.strictEqual(headers["content-disposition"], 'attachment; filename="own-data.zip"')
      yield* TestClock.adjust("6 days")
      yield* OwnDataMaking.use(({ clean }) => clean)
      assert.strictEqual((yield* freya.get(archive)).status, 200)
      yield* TestClock.adjust("1 day")
      // Also before it is removed.
      assertProblem(yield* freya.get(path), OwnDataNotFound)
      assertProblem(yield* freya.get(archive), OwnDataNotFound)
      const [kept] = yield* rows
      assert.isTrue(yield* isStored(String(kept?.key)))
      yield* OwnDataMaking.use(({ clean }) => clean)
      yield* Assets.use(({ clean }) => clean)
      assert.deepStrictEqual(yield* rows, [])
      assert.isFalse(yield* isStored(String(kept?.key)))
    })
  )

  it.effect("is read by nobody else, and by no session that has not proven to be its owner's", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      yield* TestClock.adjust("1 hour")
      const other = personIn(yield* signIn("loki"))
      yield* TestClock.adjust("11 minutes")
      yield* ownDataOf(loki)
      assertProblem(yield* other.get(archive), SignInNotRecent)
      assert.strictEqual((yield* personIn(yield* signIn("loki")).get(archive)).status, 200)
      assertProblem(yield* guest.get(archive), Unauthenticated)
      assertProblem(yield* odin.get(archive), OwnDataNotFound)
      ok(yield* other.get(path))
    })
  )

  it.effect("is asked for three times on a day, and replaces what was made before", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const keys: Array<string> = []
      for (let time = 0; time < 3; time++) {
        yield* ownDataOf(hel)
        keys.push(String((yield* rows).at(-1)?.key))
      }
      assert.strictEqual(new Set(keys).size, 3)
      const seconds = 86_400 - ((DateTime.toEpochMillis(yield* DateTime.now) / 1000) % 86_400)
      assertProblem(yield* hel.post(path, { password }), TooManyOwnData, {
        maximum: 3,
        retry_after: Math.ceil(seconds)
      })
      ok(yield* hel.get(path))
      yield* TestClock.adjust("3 hours")
      yield* Assets.use(({ clean }) => clean)
      assert.deepStrictEqual(yield* Effect.forEach(keys, isStored), [false, false, true])
      yield* TestClock.adjust(`${Math.ceil(seconds) - 3 * 3600} seconds`)
      ok(yield* hel.post(path, { password }))
      // The one before is not shown any more.
      assertProblem(yield* hel.get(archive), OwnDataNotReady)
      yield* collect
    })
  )

  it.effect("is made once of fifty requests at a time", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => sif.post(path, {})),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertProblem(answer, OwnDataRunning)
      yield* collect
    })
  )

  it.effect("takes no password of who guesses it often", () =>
    Effect.gen(function* () {
      const idun = yield* signUp("idun")
      for (let tries = 0; tries < attemptsMax.own; tries++)
        assertProblem(yield* idun.post(path, { password: "wrong" }), PasswordWrong)
      assertProblem(yield* idun.post(path, { password: "wrong" }), TooManyAttempts)
    })
  )

  it.effect("has what the account made and what is about it, and nothing of others", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const hod = yield* signUp("hod")
      const image = png(8, 4)
      yield* upload(odin, image)
      yield* SqlClient.SqlClient.use((sql) => sql`update assets set account_id = ${hod.id}`)
      const thread = yield* open(hod, "My secret garden", { body: "<p>Roses</p>" })
      yield* open(tyr, "Not theirs", { body: "<p>Thistles</p>" })
      const answer = yield* reply(tyr, thread.slug, "<p>Words of Tyr</p>")
      yield* reply(hod, thread.slug, "<p>Words of Hod</p>")
      ok(yield* hod.put(`/likes/posts/${answer.id}`))
      ok(yield* odin.post(`/accounts/${hod.id}/moderation-notes`, { content: "Watch him" }))
      ok(yield* odin.post(`/accounts/${hod.id}/warnings`, { reason: "Be kind" }))
      const files = yield* ownDataOf(hod)
      const lines = recordsIn(files)
      assert.deepStrictEqual(schemaErrors(lines), [])
      assert.deepStrictEqual(undescribed(lines), [])
      const of = (kind: string) => lines.flatMap((line) => (line.kind === kind ? [line.record] : []))
      assert.deepStrictEqual(Object.keys(Object.groupBy(lines, ({ kind }) => kind)).toSorted(), [
        "accounts",
        "assets",
        "audit",
        "likes",
        "replies",
        "threads",
        "warnings"
      ])
      const all = [...files.values()].map((bytes) => bytes.toString("latin1")).join()
      for (const word of ["Thistles", "Words of Tyr", "Watch him", "issuer_id", odin.id, String(hod.cookie)])
        assert.notInclude(all, word)
      for (const word of ["My secret garden", "Words of Hod", "Be kind"]) assert.include(all, word)
      const sha256 = createHash("sha256").update(image).digest("hex")
      assert.deepInclude(of("assets")[0], { sha256 })
      assert.deepStrictEqual(files.get(`files/${sha256}`), Buffer.from(image))
      const manifest = JSON.parse(String(files.get("manifest.json")))
      assert.deepInclude(manifest, {
        format: "forum-export",
        version: 1,
        account_id: hod.id,
        with_addresses: true
      })
      const contents = JSON.parse(String(files.get("contents.json")))
      assert.deepStrictEqual(contents.files, { number: 1, bytes: image.length })
      assert.strictEqual(contents.missing_files, 0)
      for (const { bytes, name, records, sha256: hash } of contents.parts) {
        const part = files.get(name)
        assert.strictEqual(part?.length, bytes)
        assert.strictEqual(createHash("sha256").update(String(part)).digest("hex"), hash)
        assert.strictEqual(String(part).trimEnd().split("\n").length, records)
      }
      assert.strictEqual(contents.parts.length + 3, files.size)
    })
  )

  it.effect("is made although a file is lost, and says so", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* upload(odin, png(2, 2))
      const sql = yield* SqlClient.SqlClient
      const [lost] = yield* sql<{ readonly id: string }>`update assets set account_id = ${freya.id}
        where account_id = ${odin.id} returning id`
      yield* AssetBytes.use((bytes) => bytes.remove({ store: "disk", key: String(lost?.id) }))
      const files = yield* ownDataOf(freya)
      const [asset] = recordsIn(files).filter(({ kind }) => kind === "assets")
      assert.deepInclude(asset?.record, { id: lost?.id })
      assert.notProperty(asset?.record, "sha256")
      assert.strictEqual(JSON.parse(String(files.get("contents.json"))).missing_files, 1)
    })
  )

  it.effect("is not stored by who was too slow, and is given up after five tries", () =>
    Effect.gen(function* () {
      const store = yield* OwnDataStore
      const vali = yield* signUp("vali")
      ok(yield* vali.post(path, {}))
      const now = yield* DateTime.now
      const lease = DateTime.add(now, { minutes: 3 })
      const first = Option.getOrThrow(yield* store.take(now, lease))
      assert.isTrue(Option.isNone(yield* store.take(now, lease)))
      const second = Option.getOrThrow(yield* store.take(lease, DateTime.add(lease, { minutes: 3 })))
      assert.deepStrictEqual([first.tries, second.tries], [1, 2])
      assert.isFalse(yield* store.keep(first, lease))
      const found = { store: "disk", key: "gone", size: 1, madeAt: now } as const
      assert.isFalse(yield* store.finish(first, found, lease))
      yield* store.giveUp(first, lease)
      assert.strictEqual(ok(yield* vali.get(path)).state, "waiting")
      yield* SqlClient.SqlClient.use((sql) => sql`update own_data_exports set tries = 5`)
      yield* TestClock.adjust("10 minutes")
      yield* collect
      assert.strictEqual(ok(yield* vali.get(path)).state, "failed")
      assertProblem(yield* vali.get(archive), OwnDataNotReady)
      ok(yield* vali.post(path, { password }))
      yield* collect
      assert.strictEqual(ok(yield* vali.get(path)).state, "ready")
    })
  )

  it.effect("goes with the account, and so do its bytes", () =>
    Effect.gen(function* () {
      const bragi = yield* signUp("bragi")
      yield* ownDataOf(bragi)
      const sql = yield* SqlClient.SqlClient
      const [kept] = yield* sql<{ readonly key: string }>`delete from own_data_exports
        where account_id = ${bragi.id} returning key`
      yield* TestClock.adjust("3 hours")
      yield* Assets.use(({ clean }) => clean)
      assert.isFalse(yield* isStored(String(kept?.key)))
    })
  )
})

plain.each([
  [0, true],
  [10, true],
  [11, false]
])("a session of %s minutes proves who asks: %s", (minutes, proves) => {
  const now = DateTime.makeUnsafe("2026-11-26T12:00:00Z")
  assert.strictEqual(isRecent(DateTime.subtract(now, { minutes }), now), proves)
})

const noon = DateTime.makeUnsafe("2026-11-26T12:00:00Z")
const midnight = DateTime.makeUnsafe("2026-11-27T00:00:00Z")

plain.each([
  [undefined, noon, { _tag: "Asked", asked: 1 }],
  [{ isWaiting: true, requestedAt: noon, asked: 1 }, midnight, { _tag: "Running" }],
  [{ isWaiting: false, requestedAt: noon, asked: 2 }, noon, { _tag: "Asked", asked: 3 }],
  [{ isWaiting: false, requestedAt: noon, asked: 3 }, noon, { _tag: "TooMany", until: midnight }],
  [{ isWaiting: false, requestedAt: noon, asked: 3 }, midnight, { _tag: "Asked", asked: 1 }]
] as const)("after %j comes %j", (before, now, decision) => {
  assert.deepStrictEqual(decideAsking(before, now), decision)
})

plain("a try that fails is followed by another, later each time, and the fifth by none", () => {
  const minutes = [1, 2, 3, 4, 5].map((tries) => {
    const next = decideNextTry(tries, noon)
    return next && (DateTime.toEpochMillis(next) - DateTime.toEpochMillis(noon)) / 60_000
  })
  assert.deepStrictEqual(minutes, [4, 16, 64, 256, undefined])
})

layer(People.layer)("own data whose archive is gone", (it) => {
  it.effect("is said to be unavailable for now", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      yield* ownDataOf(vali)
      const [row] = yield* SqlClient.SqlClient.use(
        (sql) => sql<{ readonly key: string }>`select key from own_data_exports where account_id = ${vali.id}`
      )
      yield* AssetBytes.use(({ remove, store }) => remove({ store, key: String(row?.key) }))
      assertProblem(yield* vali.get(archive), AssetBytesUnavailable, { retry_after: 5 })
    })
  )
})
