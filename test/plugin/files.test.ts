/** Archives of plugins where files cannot be stored or read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { DiskSpace, StorageFull } from "../../src/domain/asset/DiskSpace.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { honest } from "./archives/zip.ts"
import { plugins, updatePackage, uploadPlugin } from "./support.ts"

/** Whether files can be stored and read, and how much of the disk is free. */
const state = { isAvailable: true, free: 1000 }

const unavailable = Effect.fail(new AssetBytesUnavailable({ metadata: { retry_after: 5 } }))

const stores = TestApp.storesBut(AssetBytes, (usual) => ({
  ...usual,
  receive: (bytes) => (state.isAvailable ? usual.receive(bytes) : unavailable),
  open: (place, part) => (state.isAvailable ? usual.open(place, part) : unavailable)
}))

const disk = Layer.succeed(DiskSpace, { free: Effect.sync(() => state.free), reserve: 1000 })

const service = People.withCast(TestApp.layerWhere({}, stores).pipe(Layer.provide(disk)))

const stored = SqlClient.SqlClient.use(
  (sql) => sql`select id, manifest, package_key from plugins order by id`
)

layer(service)("the archive of a plugin", (it) => {
  it.effect("is refused where it cannot be stored, and changes nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      const before = yield* stored
      const uploads = [uploadPlugin(odin, honest()), updatePackage(odin, id, honest({ version: "2" }))]
      for (const upload of uploads) {
        state.isAvailable = false
        assertProblem(yield* upload, AssetBytesUnavailable, { retry_after: 5 })
        state.isAvailable = true
        state.free = 999
        assertProblem(yield* upload, StorageFull)
        state.free = 1000
        assert.deepStrictEqual(yield* stored, before)
      }
    })
  )

  it.effect("is not missing where it cannot be read now", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      state.isAvailable = false
      assertProblem(yield* odin.get(`${plugins}/${id}/package`), AssetBytesUnavailable, { retry_after: 5 })
      state.isAvailable = true
      assert.strictEqual((yield* odin.get(`${plugins}/${id}/package`)).status, 200)
    })
  )
})
