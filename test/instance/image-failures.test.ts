/** Uploads of images of the instance that fail through no fault of theirs, and what they leave. */
import { rm, symlink } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import sharp from "sharp"
import { AssetBytesUnavailable, TooManyThumbnails } from "../../src/domain/asset/Asset.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { ImagesUnavailable } from "../../src/domain/asset/ImageRefusal.ts"
import { Thumbnailer } from "../../src/domain/asset/Thumbnailer.ts"
import { UploadQuotaExceeded } from "../../src/domain/asset/UploadQuota.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { layerFor } from "../../src/layers/adapters/images/SharpThumbnailer.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { until } from "../support/connections.ts"
import { bytesOf, download, png, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as Quotas from "../support/quotas.ts"
import { port } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { banner, drawing, filesIn, iconOf, noted, paths, shown, traces } from "./support.ts"

layer(People.layer)("an upload of an image", (it) => {
  it.effect("that is broken off leaves nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const server = yield* port
      const image = yield* drawing(3000, 3000)
      for (const path of paths) {
        const before = yield* traces
        const sent = request({
          host: "127.0.0.1",
          port: server,
          path: `/api${path}`,
          method: "POST",
          agent: false,
          headers: { ...odin.headers, "content-length": image.length }
        }).on("error", () => {})
        sent.write(image.subarray(0, image.length - 10))
        yield* Effect.repeat(filesIn("incoming"), { while: (names) => names.length === 0 })
        sent.destroy()
        yield* Effect.repeat(filesIn("incoming"), { while: (names) => names.length > 0 })
        assert.deepStrictEqual(yield* traces, before)
      }
    })
  )

  it.effect("that cannot be recorded leaves nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      for (const path of paths) ok(yield* odin.post(path, yield* drawing(10, 10)))
      const before = yield* traces
      yield* sql`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'refused on purpose'; end $$`
      for (const table of ["instance_images", "event_log"]) {
        yield* sql`create trigger refuse before insert or update on ${sql(table)}
          for each statement execute function refuse()`
        for (const path of paths) {
          assertProblem(yield* odin.post(path, yield* drawing(20, 20)), InternalError)
        }
        yield* sql`drop trigger refuse on ${sql(table)}`
        assert.deepStrictEqual(yield* traces, before)
      }
    })
  )

  it.effect("that was given up meanwhile is refused, and its files go hours later", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { clean } = yield* Assets
      yield* TestClock.adjust("3 hours")
      yield* clean
      const before = yield* traces
      yield* sql`create function give_up() returns trigger language plpgsql as $$
        begin new.abandoned := true; return new; end $$`
      yield* sql`create trigger give_up before insert on asset_uploads for each row execute function give_up()`
      for (const path of paths) {
        const answer = yield* odin.post(path, yield* drawing(20, 20))
        assertProblem(answer, AssetBytesUnavailable, { retry_after: 5 })
      }
      yield* sql`drop trigger give_up on asset_uploads`
      assert.strictEqual((yield* noted).length, 7)
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual(yield* traces, before)
    })
  )
})

layer(People.layer)("an image whose bytes", (it) => {
  it.effect("are lost gives way to the drawn one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { directory } = yield* AssetFiles
      const drawn = yield* iconOf("32x32")
      ok(yield* odin.post("/info/icon", yield* drawing(10, 10)))
      const [{ upload_id } = {}] = yield* shown
      yield* Effect.promise(() => rm(join(directory, "files", `${upload_id}-32x32`)))
      const lost = yield* iconOf("32x32")
      assert.deepStrictEqual([lost.status, lost.headers.etag], [200, drawn.headers.etag])
      assert.isTrue(lost.bytes.equals(drawn.bytes))
      assert.notStrictEqual((yield* iconOf("512x512")).bytes.length, 0)
    })
  )

  it.effect("cannot be read is not answered", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { directory } = yield* AssetFiles
      for (const path of paths) ok(yield* odin.post(path, yield* drawing(10, 10)))
      for (const { kind, upload_id } of yield* shown) {
        const size = kind === "icon" ? "180x180" : "1200x630"
        const file = join(directory, "files", `${upload_id}-${size}`)
        yield* Effect.promise(() => rm(file).then(() => symlink(file, file)))
        const path = kind === "icon" ? `/info/icon/${size}` : "/info/banner"
        assertProblem(yield* guest.get(path), AssetBytesUnavailable, { retry_after: 5 })
      }
    })
  )
})

const kibibyte = 1024

const limited = TestApp.layer.pipe(Layer.provide(Quotas.only({ account: 192 * kibibyte })))

layer(People.withCast(limited))("images of the instance", (it) => {
  it.effect("count for who uploads them", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_SETTINGS")
      const image = yield* drawing(10, 10)
      for (const path of [...paths, "/info/icon"]) ok(yield* odin.post(path, image))
      const before = yield* traces
      for (const path of paths) {
        assertProblem(yield* odin.post(path, image), UploadQuotaExceeded, {
          quota: "account",
          maximum: 192 * kibibyte,
          retry_after: 86_400
        })
      }
      // Before it is received, so that it does not matter what it is.
      assertProblem(yield* odin.post("/info/icon", bytesOf("no image")), UploadQuotaExceeded)
      assert.deepStrictEqual(yield* traces, before)
      ok(yield* tyr.post("/info/icon", image))
    })
  )

  it.effect("count as what is stored of them", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "MANAGE_SETTINGS")
      const noise = Buffer.alloc(512 * 512 * 3)
      for (let at = 0, state = 1; at < noise.length; at++) {
        state = Math.imul(state, 1_664_525) + 1_013_904_223
        noise[at] = state >>> 24
      }
      const raw = { width: 512, height: 512, channels: 3 as const }
      const image = yield* Effect.promise(() => sharp(noise, { raw }).jpeg({ quality: 10 }).toBuffer())
      const before = yield* traces
      assert.isBelow(image.length, 100 * kibibyte)
      assertProblem(yield* freya.post("/info/icon", image), UploadQuotaExceeded)
      assert.deepStrictEqual(yield* traces, before)
    })
  )
})

const without = layerFor("a-package-that-is-not-installed")

layer(People.withCast(TestApp.layerWhere({}, undefined, undefined, undefined, without)))(
  "without the package that makes images",
  (it) => {
    it.effect("none can be uploaded, and the drawn ones are there", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        for (const path of paths) {
          assertProblem(yield* odin.post(path, yield* drawing(10, 10)), ImagesUnavailable)
        }
        assert.strictEqual((yield* iconOf("512x512")).status, 200)
        assert.strictEqual((yield* banner()).status, 200)
        assert.deepStrictEqual(yield* filesIn("files"), [])
      })
    )
  }
)

let started = 0
let mayEnd: Deferred.Deferred<void>

const slow = Layer.succeed(
  Thumbnailer,
  Thumbnailer.of({
    isAvailable: true,
    make: () =>
      Effect.suspend(() => {
        started++
        return Effect.as(Deferred.await(mayEnd), Option.none())
      }),
    render: (_path, extents) =>
      Effect.suspend(() => {
        started++
        return Effect.as(Deferred.await(mayEnd), Option.some(extents.map(() => bytesOf("small"))))
      })
  })
)

/** Begins to upload an icon, which a test may break off. */
const begin = (person: Person, image: Uint8Array) =>
  Effect.map(port, (port) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path: "/api/info/icon",
      method: "POST",
      agent: false,
      headers: { ...person.headers, "content-length": image.length }
    })
    return sent.on("error", () => {}).end(image)
  })

const behindProxy = { trustedProxies: networksOf(["127.0.0.0/8", "::1/128"]) }

layer(People.withCast(TestApp.layerWhere(behindProxy, undefined, undefined, undefined, slow)))(
  "while images are made",
  (it) => {
    it.effect("an upload whose client goes away leaves nothing", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const figures = yield* ConnectionFigures
        mayEnd = yield* Deferred.make<void>()
        const before = yield* traces
        const sent = yield* begin(odin, yield* drawing(10, 10))
        yield* Effect.promise(() => until(() => started === 1))
        sent.destroy()
        yield* Effect.promise(() => until(() => figures()?.requestsInProgress === 0))
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Effect.repeat(filesIn("incoming"), { while: (names) => names.length > 0 })
        assert.deepStrictEqual(yield* traces, before)
      })
    )

    it.effect("more of them are refused than may wait", () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        mayEnd = yield* Deferred.make<void>()
        const image = yield* drawing(10, 10)
        const files = yield* Effect.forEach(Array.from({ length: 32 }), () => upload(freya, png(999, 9)))
        // One client alone may not take them all.
        const asked = yield* Effect.forEach(files, ({ path }, n) =>
          Effect.forkChild(download(`${path}?width=64`, { "x-forwarded-for": `203.0.113.${n}` }))
        )
        // Once one of them is refused, all places are taken, and none becomes free.
        const isFull = Effect.raceAll(
          asked.map((fiber) =>
            Effect.flatMap(Fiber.join(fiber), ({ status }) => (status === 503 ? Effect.void : Effect.never))
          )
        )
        const uploading = yield* Effect.forkChild(odin.post("/info/icon", image))
        const first = yield* Effect.raceFirst(Fiber.join(uploading), isFull)
        for (const path of paths) {
          assertProblem(yield* odin.post(path, image), TooManyThumbnails, { retry_after: 2 })
        }
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Effect.forEach(asked, Fiber.join)
        if (first === undefined) ok(yield* Fiber.join(uploading))
        else assertProblem(first, TooManyThumbnails, { retry_after: 2 })
      })
    )
  }
)

let isAnswerLost = false

// The connection breaks after the transaction was completed.
const lossy = TestApp.storesBut(
  Transaction,
  (usual): Transaction["Service"] =>
    (writes) =>
      Effect.tap(usual(writes), () =>
        isAnswerLost ? dieWithProblem(new StorageUnavailable({ metadata: { retry_after: 1 } })) : Effect.void
      )
)

layer(People.withCast(TestApp.layerWhere({}, lossy)))(
  "what was stored although the answer was lost",
  (it) => {
    it.effect("keeps its files", () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        const { clean } = yield* Assets
        const image = yield* drawing(20, 20)
        isAnswerLost = true
        for (const path of paths) assertProblem(yield* odin.post(path, image), StorageUnavailable)
        assertProblem(yield* freya.post("/accounts/self/avatar", image), StorageUnavailable)
        isAnswerLost = false
        const before = yield* traces
        assert.strictEqual(before.files.length, 6 + 1 + 1)
        assert.deepStrictEqual(before.noted, [])
        for (const tag of before.tags) assert.notMatch(String(tag), /drawn/)
        yield* TestClock.adjust("3 hours")
        yield* clean
        assert.deepStrictEqual(yield* traces, before)
        assert.isTrue((yield* download("/api/accounts/freya/avatar")).bytes.equals(image))
      })
    )
  }
)
