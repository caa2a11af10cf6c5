/** Uploads that end half-way, and what they leave: nothing. */

import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetStore, type Insertion } from "../../src/domain/asset/AssetStore.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { TooManyWriters } from "../../src/domain/storage/StorageProblem.ts"
import { StreamedBodies } from "../../src/http/bytes/StreamedBodies.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { until } from "../support/connections.ts"
import { untilWaiting } from "../support/database.ts"
import { bytesOf, download, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { begin } from "../support/uploading.ts"

const mebibyte = 1024 * 1024

const directory = Effect.map(AssetFiles, ({ directory }) => directory)

const namesIn = (folder: string) =>
  Effect.flatMap(directory, (directory) =>
    Effect.promise(() => readdir(join(directory, folder)).catch(() => []))
  )

const sizesOf = async (folder: string) => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0
      )
    )
  )
}

// Less than this of what has arrived may wait for more before it is written.
const gathered = 16 * 1024

/** Waits until about so many bytes of the only upload are on the disk, or until there is none. */
const untilWritten = (bytes: number | undefined) =>
  Effect.flatMap(directory, (directory) =>
    Effect.promise(async () => {
      for (;;) {
        const [size] = await sizesOf(join(directory, "incoming"))
        if (bytes === undefined ? size === undefined : (size ?? 0) > bytes - gathered) return
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
  )

const rows = SqlClient.SqlClient.use(
  (sql) =>
    sql<{
      readonly table: string
    }>`select 'assets' as table from assets union all select 'uploads' from asset_uploads`
)

layer(People.layer)("an upload that is broken off", (it) => {
  it.effect("leaves nothing, and its memory is free", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const figures = yield* ConnectionFigures
      const before = (yield* rows).length
      const { breakOff, sent } = yield* begin(freya, 10 * mebibyte)
      sent.write(Buffer.alloc(3 * mebibyte))
      yield* untilWritten(3 * mebibyte)
      // What is written does not count as memory.
      assert.isBelow(figures()?.bodyBytes ?? Number.NaN, mebibyte)
      breakOff()
      yield* untilWritten(undefined)
      yield* Effect.promise(() =>
        until(() => figures()?.bodyBytes === 0 && figures()?.requestsInProgress === 0)
      )
      assert.strictEqual((yield* rows).length, before)
      assert.deepStrictEqual(yield* namesIn("files"), [])
    })
  )

  it.effect("by its deadline leaves nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { answer, sent } = yield* begin(freya, 10 * mebibyte)
      sent.write(Buffer.alloc(2 * mebibyte))
      yield* untilWritten(2 * mebibyte)
      yield* TestClock.adjust("30 seconds")
      const { status, text } = yield* answer
      assert.strictEqual(status, 503)
      assert.include(text, "deadline-exceeded")
      yield* untilWritten(undefined)
      assert.deepStrictEqual(yield* namesIn("files"), [])
    })
  )

  it.effect("has the usual time again for what follows the file, and none if too much is announced", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { answer, sent } = yield* begin(freya, mebibyte + 2 * gathered)
      sent.write(Buffer.alloc(mebibyte + gathered, "x"))
      yield* untilWritten(mebibyte + gathered)
      yield* TestClock.adjust("29 seconds")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table assets in exclusive mode`
          sent.end(Buffer.alloc(gathered, "x"))
          yield* untilWaiting(1)
          yield* TestClock.adjust("9 seconds")
        })
      )
      assert.strictEqual((yield* answer).status, 200)

      const { counts } = yield* StreamedBodies
      const tooLarge = yield* begin(freya, 50 * mebibyte + 1)
      let refused: number | undefined
      tooLarge.sent.on("response", ({ statusCode }) => {
        refused = statusCode
      })
      yield* Effect.promise(() => until(() => refused !== undefined || counts().sending > 0))
      assert.strictEqual(refused, 413)
      tooLarge.breakOff()
    })
  )

  it.effect("is none as long as it advances by a mebibyte each time", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const step = mebibyte + gathered
      const { answer, sent } = yield* begin(freya, 4 * step)
      for (let part = 1; part <= 3; part++) {
        sent.write(Buffer.alloc(step, "x"))
        yield* untilWritten(part * step)
        yield* TestClock.adjust("29 seconds")
      }
      sent.end(Buffer.alloc(step, "x"))
      const { status, text } = yield* answer
      assert.strictEqual(status, 200, text)
      const { bytes } = yield* download(JSON.parse(text).path)
      assert.strictEqual(bytes.length, 4 * step)
    })
  )
})

layer(People.layer)("what uploads have left that ended with the service", (it) => {
  it.effect("is removed hours later, and nothing else is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { clean } = yield* Assets
      const root = yield* directory
      const kept = yield* upload(freya, bytesOf("kept"))
      const put = (folder: string, name: string, isOld: boolean) =>
        Effect.promise(async () => {
          await mkdir(join(root, folder), { recursive: true })
          await writeFile(join(root, folder, name), "x")
          if (isOld) await utimes(join(root, folder, name), 0, 0)
        })
      yield* put("incoming", "old", true)
      yield* put("incoming", "new", false)
      yield* TestClock.adjust("3 hours")
      for (const [id, hours] of [
        ["stored", 0],
        ["noted", 0],
        ["recent", 2]
      ] as const) {
        yield* sql`insert into asset_uploads (id, store, started_at)
          values (${id}, 'disk', timestamptz 'epoch' + ${hours} * interval '1 hour')`
      }
      yield* put("files", "stored", false)
      yield* put("files", "recent", false)
      yield* clean
      assert.deepStrictEqual(yield* namesIn("incoming"), ["new"])
      assert.deepStrictEqual([...(yield* namesIn("files"))].sort(), [kept.id, "recent"].sort())
      assert.deepStrictEqual(yield* sql`select id from asset_uploads`, [{ id: "recent" }])
      assert.strictEqual((yield* download(kept.path)).status, 200)
    })
  )
})

let insertion: Effect.Effect<Insertion> | undefined

const stores = TestApp.storesBut(AssetStore, (usual) => ({
  ...usual,
  insert: (...given) => insertion ?? usual.insert(...given)
}))

layer(People.withCast(TestApp.layerWhere({}, stores)))("an upload that cannot become an asset", (it) => {
  it.effect("leaves nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const failures = [
        [Effect.die(new Error("broken on purpose")), InternalError],
        [dieWithProblem(new TooManyWriters({ metadata: { retry_after: 1 } })), TooManyWriters]
      ] as const
      for (const [failure, problem] of failures) {
        insertion = failure
        assertProblem(yield* freya.post("/assets", bytesOf("x")), problem)
        assert.deepStrictEqual(yield* rows, [])
        assert.deepStrictEqual(yield* namesIn("files"), [])
        assert.deepStrictEqual(yield* namesIn("incoming"), [])
      }
    })
  )

  it.effect("because it was given up meanwhile is refused", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      insertion = undefined
      yield* sql`create function give_up() returns trigger language plpgsql as $$
        begin new.abandoned := true; return new; end $$`
      yield* sql`create trigger give_up before insert on asset_uploads for each row execute function give_up()`
      assertProblem(yield* freya.post("/assets", bytesOf("x")), AssetBytesUnavailable, { retry_after: 5 })
      assert.deepStrictEqual(yield* sql`select id from assets`, [])
      const { clean } = yield* Assets
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual(yield* rows, [])
      assert.deepStrictEqual(yield* namesIn("files"), [])
    })
  )
})
