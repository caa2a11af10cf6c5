/** A disk of which little is free: nothing is uploaded, and everything else works. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DiskSpace, StorageFull } from "../../src/domain/asset/DiskSpace.ts"
import { LinkFetching } from "../../src/domain/link/LinkFetching.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { freeOf, makeFreeSpace } from "../../src/persistence/asset/FreeSpace.ts"
import { drawing, filesIn, traces } from "../instance/support.ts"
import { ok } from "../support/answers.ts"
import { until } from "../support/connections.ts"
import { bytesOf, download, png, upload } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { begin } from "../support/uploading.ts"

const mebibyte = 1024 * 1024

const reserve = 100 * mebibyte

/** What is free; nobody can tell, if it is undefined. */
const disk: { free: number | undefined } = { free: undefined }

const withDisk = (reserve: number) =>
  People.withCast(
    TestApp.layer.pipe(
      Layer.provide(Layer.succeed(DiskSpace, { free: Effect.sync(() => disk.free), reserve }))
    )
  )

/** Runs an effect while so much is free. */
const whileFree = <A, E, R>(free: number | undefined, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      disk.free = free
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        disk.free = reserve
      })
  )

const source = "https://a.test/file"

const putSource = Effect.andThen(
  Pages.clear,
  Effect.sync(() => Pages.put(source, Pages.page("", { body: bytesOf("text") })))
)

/** Waits until so many bytes of the only upload are on the disk. */
const untilWritten = (bytes: number) =>
  Effect.flatMap(AssetFiles, ({ directory }) => {
    const incoming = join(directory, "incoming")
    return Effect.promise(() =>
      until(() => readdirSync(incoming).some((name) => statSync(join(incoming, name)).size >= bytes))
    )
  })

const notes = SqlClient.SqlClient.use((sql) => sql`select id from asset_uploads`)

layer(withDisk(reserve))("below the reserve of the disk", (it) => {
  it.effect("nothing is uploaded in any way, and nothing is left of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* putSource
      const image = yield* drawing(10, 10)
      const { id } = ok(yield* freya.post("/nodes", { name: "Page" }))
      const uploads: ReadonlyArray<ReturnType<typeof call>> = [
        freya.post("/assets", bytesOf("text")),
        freya.post("/accounts/self/avatar", image),
        odin.post("/info/icon", image),
        odin.post("/info/banner", image),
        freya.post("/nodes", { name: "Other", asset_sources: [source] }),
        freya.patch(`/nodes/${id}`, { asset_sources: [source] })
      ]
      const before = yield* traces
      for (const send of uploads) {
        assertProblem(yield* whileFree(reserve - 1, send), StorageFull)
        assert.deepStrictEqual(yield* traces, before)
        assert.deepStrictEqual(yield* filesIn("incoming"), [])
      }
      assert.deepStrictEqual(Pages.asked, [])
      for (const send of uploads) ok(yield* whileFree(reserve, send))
    })
  )

  it.effect("a file is refused before it is received", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (const [person, path] of [
        [freya, "/api/assets"],
        [odin, "/api/info/icon"]
      ] as const) {
        const { answer, breakOff } = yield* begin(person, 10 * mebibyte, path)
        const { status, text } = yield* whileFree(0, answer)
        breakOff()
        assert.strictEqual(status, 507, text)
      }
    })
  )

  it.effect("a file that arrives is ended, and nothing is left of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const figures = yield* ConnectionFigures
      for (const [person, path] of [
        [freya, "/api/assets"],
        [freya, "/api/accounts/self/avatar"],
        [odin, "/api/info/icon"]
      ] as const) {
        disk.free = reserve
        const { answer, breakOff, sent } = yield* begin(person, 8 * mebibyte, path)
        sent.write(Buffer.alloc(2 * mebibyte, "x"))
        yield* untilWritten(1.9 * mebibyte)
        const answered = yield* Effect.forkChild(answer)
        disk.free = reserve - 1
        sent.write(Buffer.alloc(1.2 * mebibyte, "x"))
        const { status, text } = yield* Fiber.join(answered)
        breakOff()
        assert.strictEqual(status, 507, text)
        assert.strictEqual(JSON.parse(text).type, StorageFull.problemType.type)
        yield* Effect.promise(() => until(() => figures()?.requestsInProgress === 0))
        assert.deepStrictEqual(yield* filesIn("incoming"), [])
        assert.deepStrictEqual(yield* notes, [])
      }
      disk.free = reserve
    })
  )

  it.effect("files are read, and images as they were uploaded where there are no smaller ones yet", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      disk.free = reserve
      const { id, path } = yield* upload(freya, yield* drawing(700, 350), { filename: "a.png" })
      ok(yield* guest.get(`/assets/${path.split("/").at(-1)}?width=64`))
      const before = yield* filesIn("files")
      const tagAt = (width: number) =>
        Effect.map(download(`${path}?width=${width}`), ({ headers, status }) => [status, headers.etag])
      assert.deepStrictEqual(yield* whileFree(0, tagAt(160)), [200, `"${id}"`])
      assert.deepStrictEqual(yield* whileFree(0, tagAt(64)), [200, `"${id}-w64"`])
      assert.deepStrictEqual(yield* filesIn("files"), before)
      assert.deepStrictEqual(yield* tagAt(160), [200, `"${id}-w160"`])
    })
  )

  it.effect("pictures of links are copied later", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { drain } = yield* LinkFetching
      yield* Pages.clear
      const url = "https://linked.test/"
      Pages.put(url, Pages.page("<meta name=description content=Words>"))
      Pages.put(`${url}favicon.ico`, Pages.page("", { body: png(1, 1) }))
      const { slug } = ok(yield* freya.post("/links", { url, title: "Added" }))
      const faviconOf = Effect.map(freya.get(`/links/${slug}`), (answer) => ok(answer).favicon_image)
      yield* whileFree(0, drain)
      assert.deepStrictEqual(Pages.asked, [url])
      assert.strictEqual(ok(yield* freya.get(`/links/${slug}`)).description, "Words")
      assert.isUndefined(yield* faviconOf)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.isDefined(yield* faviconOf)
      assert.deepStrictEqual(Pages.asked, [url, url, `${url}favicon.ico`])
      // A page that has its pictures needs no room.
      yield* TestClock.adjust("1 day")
      ok(yield* freya.post("/links", { url, title: "Added" }))
      yield* whileFree(0, drain)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.deepStrictEqual(Pages.asked, [url, url, `${url}favicon.ico`, url])
    })
  )

  it.effect("the service is ready, and says that it refuses uploads", () =>
    Effect.gen(function* () {
      const ready = call("GET", "/readyz")
      disk.free = reserve
      assert.strictEqual((yield* ready).text, "")
      const { json, status } = yield* whileFree(5 * mebibyte, ready)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, {
        uploads: "refused",
        reason: "storage-full",
        disk_free_bytes: 5 * mebibyte,
        disk_reserve_bytes: reserve
      })
      const metrics = yield* whileFree(5 * mebibyte, call("GET", "/metrics"))
      assert.include(metrics.text, `\nforum_disk_free_bytes ${5 * mebibyte}\n`)
      assert.include(metrics.text, `\nforum_disk_reserve_bytes ${reserve}\n`)
    })
  )

  it.effect("files are taken where nobody can tell what is free", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      ok(yield* whileFree(undefined, freya.post("/assets", bytesOf("unknown"))))
      assert.strictEqual((yield* whileFree(undefined, call("GET", "/readyz"))).text, "")
    })
  )
})

layer(withDisk(0))("without a reserve", (it) => {
  it.effect("files are taken as long as the disk takes them", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      ok(yield* whileFree(0, freya.post("/assets", bytesOf("text"))))
      assert.strictEqual((yield* whileFree(0, call("GET", "/readyz"))).text, "")
    })
  )
})

describe("what is free of a disk", () => {
  it.effect("is asked once a second, however many want to know", () =>
    Effect.gen(function* () {
      let asked = 0
      const free = yield* makeFreeSpace("/data", async () => ++asked)
      for (const expected of [1, 2]) {
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => free),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers), new Set([expected]))
        yield* TestClock.adjust("999 millis")
        assert.strictEqual(yield* free, expected)
        yield* TestClock.adjust("1 millis")
      }
    })
  )

  it.effect("is not known where the disk does not say so, which is asked once until it answers", () =>
    Effect.gen(function* () {
      let asked = 0
      let answer = (_: number) => {}
      const hanging = yield* makeFreeSpace("/data", () => {
        asked += 1
        return new Promise((resolve) => {
          answer = resolve
        })
      })
      for (let n = 0; n < 3; n++) {
        const waiting = yield* Effect.forkChild(hanging)
        yield* TestClock.adjust("1 second")
        assert.isUndefined(yield* Fiber.join(waiting))
      }
      assert.strictEqual(asked, 1)
      answer(7)
      assert.strictEqual(yield* hanging, 7)
      const failing = yield* makeFreeSpace("/data", () => Promise.reject(new Error("No such call")))
      assert.isUndefined(yield* failing)
    })
  )

  it("is that of the directory, or of one above that exists", async () => {
    const free = await freeOf(tmpdir())
    assert.isAbove(free, 0)
    const below = await freeOf(join(tmpdir(), "forum-none", "none"))
    // Others write to the disk meanwhile.
    assert.approximately(below, free, 1024 * mebibyte)
  })

  it.runIf(existsSync("/proc/self"))("is not known of what is no disk", async () => {
    const error = await freeOf("/proc").catch((error: unknown) => error)
    assert.include(String(error), "does not say how large it is")
  })
})
