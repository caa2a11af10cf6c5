/** Files in a bucket instead of on the disk. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AssetBytesUnavailable, AssetNotFound } from "../../src/domain/asset/Asset.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import type { FakeBucket } from "../support/bucket.ts"
import { Fake, inBucket } from "../support/bucketApp.ts"
import { bytesOf, download, png, upload } from "../support/files.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"

const incoming = Effect.flatMap(AssetFiles, ({ directory }) =>
  Effect.promise(() => readdir(join(directory, "incoming")))
)

const pathOf = (id: string) => `/store/files/assets/${id}`

const uploads = SqlClient.SqlClient.use((sql) => sql<{ readonly id: string }>`select id from asset_uploads`)

layer(inBucket)("a file in a bucket", (it) => {
  it.effect("is stored once it has arrived, and read from there, also in part", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { objects, requests } = yield* Fake
      const file = Buffer.alloc(300_000, "0123456789")
      const { id, path } = yield* upload(freya, file, { filename: "a.txt" })
      assert.deepStrictEqual(requests, [`PUT ${pathOf(id)}`])
      assert.isTrue(objects.get(pathOf(id))?.equals(file))
      assert.deepStrictEqual(yield* incoming, [])

      const whole = yield* download(path)
      assert.isTrue(whole.bytes.equals(file))
      assert.strictEqual(whole.headers["content-length"], "300000")
      const part = yield* download(path, { range: "bytes=5-14" })
      assert.deepStrictEqual([part.status, part.bytes.toString()], [206, "5678901234"])
      assert.strictEqual(part.headers["content-range"], "bytes 5-14/300000")
      assert.strictEqual(requests.at(-1), `GET ${pathOf(id)} bytes=5-14`)
      const count = requests.length
      assert.strictEqual((yield* download(path, {}, "HEAD")).status, 200)
      assert.strictEqual((yield* download(path, { "if-none-match": `"${id}"` })).status, 304)
      assert.strictEqual(requests.length, count)
      const empty = yield* upload(freya, bytesOf())
      assert.deepStrictEqual((yield* download(empty.path)).bytes.length, 0)
    })
  )

  it.effect("is not found where the bucket has lost it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { objects } = yield* Fake
      const { id, path } = yield* upload(freya, bytesOf("x"))
      objects.delete(pathOf(id))
      assertProblem(yield* guest.get(path.replace("/api", "")), AssetNotFound, { asset: id })
    })
  )

  it.effect("cannot be stored or read while the bucket does not answer as it should", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const bucket = yield* Fake
      const kept = yield* upload(freya, bytesOf("x"))
      const problem = { retry_after: 5 }
      const failures: ReadonlyArray<NonNullable<FakeBucket["answer"]>> = [
        (_request, response) => response.writeHead(500).end("<Error/>") !== undefined,
        (_request, response) => response.writeHead(403).end("<Error/>") !== undefined,
        (_request, response) =>
          response.writeHead(302, { location: "http://127.0.0.1:1/" }).end() !== undefined,
        (request) => request.socket.destroy() !== undefined
      ]
      for (const answer of failures) {
        bucket.answer = answer
        assertProblem(yield* freya.post("/assets", bytesOf("x")), AssetBytesUnavailable, problem)
        assertProblem(yield* send({ path: kept.path }), AssetBytesUnavailable, problem)
        bucket.answer = undefined
      }
      assert.deepStrictEqual(yield* incoming, [])
      assert.strictEqual((yield* download(kept.path)).status, 200)
      ok(yield* freya.post("/assets", bytesOf("x")))
    })
  )

  it.effect("that came to the bucket although the upload failed is removed hours later", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const bucket = yield* Fake
      const { clean } = yield* Assets
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual(yield* uploads, [])
      bucket.answer = (request, response) => {
        if (request.method !== "PUT") return false
        bucket.objects.set(request.url ?? "", Buffer.from("late"))
        response.writeHead(500).end()
        return true
      }
      assertProblem(yield* freya.post("/assets", bytesOf("x")), AssetBytesUnavailable)
      bucket.answer = undefined
      const [left] = yield* uploads
      const path = pathOf(left?.id ?? "")
      yield* clean
      assert.isTrue(bucket.objects.has(path))
      yield* TestClock.adjust("3 hours")
      bucket.answer = (_request, response) => response.writeHead(500).end() !== undefined
      assert.instanceOf(yield* Effect.flip(clean), AssetBytesUnavailable)
      bucket.answer = undefined
      assert.strictEqual((yield* uploads).length, 1)
      yield* clean
      assert.isFalse(bucket.objects.has(path))
      assert.deepStrictEqual(yield* uploads, [])
    })
  )

  it.effect("is not read in part where the bucket answers with the whole", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const bucket = yield* Fake
      const { path } = yield* upload(freya, bytesOf("0123456789"))
      bucket.answer = (_request, response) => response.writeHead(200).end("0123456789") !== undefined
      const answer = yield* send({ path, headers: { range: "bytes=2-3" } })
      bucket.answer = undefined
      assertProblem(answer, AssetBytesUnavailable, { retry_after: 5 })
      assert.strictEqual((yield* download(path, { range: "bytes=2-3" })).bytes.toString(), "23")
    })
  )

  it.effect("breaks off when the bucket does, so that nobody takes a part for the whole", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const bucket = yield* Fake
      const { path } = yield* upload(freya, png(4, 4))
      bucket.answer = (request, response) => {
        response.writeHead(200, { "content-length": 33 })
        response.write("half", () => request.socket.destroy())
        return true
      }
      const result = yield* Effect.exit(Effect.sandbox(download(path)))
      bucket.answer = undefined
      assert.strictEqual(result._tag, "Failure")
    })
  )
})
