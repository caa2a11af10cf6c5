/** The archives of supervised plugins: what is taken, where it is, and what becomes of it. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { OutboundFailed, type OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import {
  PluginAnother,
  PluginArchiveRefused,
  PluginFileManifestInvalid,
  PluginFileManifestMalformed,
  PluginFileNotArchive,
  PluginFileWithoutManifest,
  PluginPackageMissing,
  PluginUnfetched
} from "../../src/domain/plugin/PluginRefusal.ts"
import { PayloadTooLarge } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, download } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { honest, link, manifestEntry, zipOf } from "./archives/zip.ts"
import { least } from "./manifest.ts"
import { plugins, updatePackage, uploadPlugin } from "./support.ts"

const placeOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly store: "disk"; readonly key: string }>`
    select package_store as store, package_key as key from plugins where id = ${id}`
  return row ?? assert.fail("there is no such plugin")
})

/** Whether the bytes of a file are there. */
const isKept = Effect.fnUntraced(function* (place: { readonly store: "disk"; readonly key: string }) {
  const { open } = yield* AssetBytes
  return Option.isSome(yield* Effect.scoped(open(place)))
})

const number = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from plugins`
  return row?.count
})

/** The files that belong to nothing yet. */
const noted = SqlClient.SqlClient.use((sql) => sql`select id from asset_uploads`)

const address = "https://plugins.example/hello.zip"

layer(People.layer)("the archive of a plugin", (it) => {
  it.effect("makes a plugin that does not run", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const added = ok(yield* uploadPlugin(odin, honest({ unknown: 1 })))
      const { added_at, id } = added
      assert.deepStrictEqual(added, {
        id,
        added_at,
        name: least.name,
        description: least.description,
        version: least.version,
        status: { active_state: "inactive", deactivated_at: added_at },
        manifest: least,
        connection: { mode: "supervised" }
      })
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}`)), added)
      assert.deepStrictEqual(yield* noted, [])
    })
  )

  it.effect("is downloaded as it was uploaded, byte for byte, by administrators alone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const archive = zipOf([manifestEntry, { name: "data", data: "x".repeat(100_000), isStored: true }])
      const { id } = ok(yield* uploadPlugin(odin, archive))
      const answer = yield* download(`/api${plugins}/${id}/package`, odin.headers)
      assert.strictEqual(answer.status, 200)
      assert.isTrue(answer.bytes.equals(archive))
      assert.deepInclude(answer.headers, {
        "content-type": "application/zip",
        "content-length": String(archive.length),
        "content-disposition": "attachment; filename=hello.zip"
      })
      const { key } = yield* placeOf(id)
      assert.strictEqual((yield* guest.get(`/assets/${key}`)).status, 404)
      assert.strictEqual((yield* freya.get(`${plugins}/${id}/package`)).status, 403)
    })
  )

  it.effect("that cannot be used leaves nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* number
      assertProblem(yield* uploadPlugin(odin, bytesOf("not a zip")), PluginFileNotArchive)
      assertProblem(yield* uploadPlugin(odin, zipOf([{ name: "a" }])), PluginFileWithoutManifest)
      const broken = zipOf([{ name: "manifest.json", data: "{" }])
      assertProblem(yield* uploadPlugin(odin, broken), PluginFileManifestMalformed)
      assertProblem(yield* uploadPlugin(odin, honest({ name: "" })), PluginFileManifestInvalid, {
        issues: [{ field: "name", rule: "must not be blank" }]
      })
      const linked = zipOf([manifestEntry, { name: "a", data: "/etc/passwd", mode: link | 0o777 }])
      assertProblem(yield* uploadPlugin(odin, linked), PluginArchiveRefused, { reason: "special", file: "a" })
      assertProblem(yield* uploadPlugin(odin, Buffer.alloc(50 * 1024 * 1024 + 1)), PayloadTooLarge, {
        maximum: 50 * 1024 * 1024
      })
      const empty = yield* uploadPlugin(odin, new Uint8Array())
      assertProblem(empty, PluginArchiveRefused, { reason: "size" })
      assert.strictEqual(yield* number, before)
      assert.deepStrictEqual(yield* noted, [])
    })
  )

  it.effect("may be sent as JSON no larger than other JSON", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const description = "x".repeat(1024 * 1024)
      const answer = yield* odin.post(plugins, { mode: "external", manifest: { ...least, description } })
      assertProblem(answer, PayloadTooLarge)
    })
  )

  it.effect("is replaced by another of the same plugin, which keeps the rest", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const added = ok(yield* uploadPlugin(odin, honest()))
      const { id } = added
      yield* sql`update plugins set configuration = '{"word": "Hi"}' where id = ${id}`
      const before = yield* placeOf(id)
      const second = honest({ version: "2", name: "Second" })
      const updated = ok(yield* updatePackage(odin, id, second))
      const shown = { ...least, version: "2", name: "Second" }
      assert.deepStrictEqual(updated, { ...added, manifest: shown, version: "2", name: "Second" })
      assert.isTrue((yield* download(`/api${plugins}/${id}/package`, odin.headers)).bytes.equals(second))
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}/configuration`)), { word: "Hi" })
      const after = yield* placeOf(id)
      assert.notStrictEqual(after.key, before.key)
      // Who reads the former one may go on for a while.
      assert.isTrue(yield* isKept(before))
      yield* TestClock.adjust("3 hours")
      yield* Effect.flatMap(Assets, ({ clean }) => clean)
      assert.deepStrictEqual([yield* isKept(before), yield* isKept(after)], [false, true])
    })
  )

  it.effect("is not replaced by one of another plugin, or one that cannot be used", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const archive = honest()
      const added = ok(yield* uploadPlugin(odin, archive))
      const { id } = added
      const notedBefore = yield* noted
      assertProblem(yield* updatePackage(odin, id, honest({ id: "other" })), PluginAnother, {
        expected: "hello",
        found: "other"
      })
      // Its bytes are removed at once.
      assert.deepStrictEqual(yield* noted, notedBefore)
      assertProblem(yield* updatePackage(odin, id, bytesOf("x")), PluginFileNotArchive)
      const large = Buffer.alloc(50 * 1024 * 1024 + 1)
      assertProblem(yield* updatePackage(odin, id, large), PayloadTooLarge, { maximum: 50 * 1024 * 1024 })
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}`)), added)
      assert.isTrue((yield* download(`/api${plugins}/${id}/package`, odin.headers)).bytes.equals(archive))
    })
  )

  it.effect("is removed with its plugin, also where its bytes are lost", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      const { id: other } = ok(yield* uploadPlugin(odin, honest()))
      const place = yield* placeOf(id)
      yield* Effect.flatMap(AssetBytes, ({ remove }) => Effect.flatMap(placeOf(other), remove))
      assertProblem(yield* odin.get(`${plugins}/${other}/package`), PluginPackageMissing, {
        plugin_instance_id: other
      })
      assert.strictEqual((yield* odin.delete(`${plugins}/${id}`)).status, 204)
      assert.strictEqual((yield* odin.delete(`${plugins}/${other}`)).status, 204)
      yield* TestClock.adjust("3 hours")
      yield* Effect.flatMap(Assets, ({ clean }) => clean)
      assert.isFalse(yield* isKept(place))
      assert.deepStrictEqual(yield* noted, [])
    })
  )
})

layer(People.layer)("the archive of a plugin that is elsewhere", (it) => {
  it.effect("is fetched and taken like one that is uploaded", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const archive = honest()
      Pages.put(address, Pages.page("", { body: archive }))
      const added = ok(yield* odin.post(plugins, { mode: "supervised", url: address }))
      assert.deepStrictEqual(added.connection, { mode: "supervised" })
      assert.deepStrictEqual(added.manifest, least)
      assert.isTrue(
        (yield* download(`/api${plugins}/${added.id}/package`, odin.headers)).bytes.equals(archive)
      )
      Pages.put(address, Pages.page("no archive"))
      assertProblem(yield* odin.post(plugins, { mode: "supervised", url: address }), PluginFileNotArchive)
    })
  )

  it.effect("is not taken if it does not come", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const from = (url: string) => odin.post(plugins, { mode: "supervised", url })
      assertProblem(yield* from("https://nowhere.example/"), PluginUnfetched, { reason: "refused" })
      Pages.put(address, Pages.page("", { status: 404 }))
      assertProblem(yield* from(address), PluginUnfetched, { reason: "status", status: 404 })
      const failing = (reason: "size" | "time") => Effect.fail(new OutboundFailed({ url: address, reason }))
      Pages.put(address, failing("size"))
      assertProblem(yield* from(address), PluginUnfetched, { reason: "size" })
      Pages.put(address, failing("time"))
      assertProblem(yield* from(address), PluginUnfetched, { reason: "unreachable" })
    })
  )

  it.effect("is fetched within bounds, and one at a time, as each is in memory as a whole", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const come = yield* Deferred.make<void>()
      const requests: Array<OutboundRequest> = []
      Pages.put(address, (request) => {
        requests.push(request)
        return Effect.andThen(Deferred.await(come), Pages.page("", { body: honest() }))
      })
      const fetching = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 3 }, () => odin.post(plugins, { mode: "supervised", url: address })),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.withLive(Effect.sleep("300 millis"))
      assert.lengthOf(requests, 1)
      const [request] = requests
      assert.deepInclude(request, {
        url: address,
        maxBytes: 50 * 1024 * 1024,
        beyond: "failure",
        redirects: 5,
        within: "20 seconds"
      })
      yield* Deferred.succeed(come, undefined)
      for (const answer of yield* Fiber.join(fetching)) ok(answer)
      assert.lengthOf(requests, 3)
    })
  )
})
