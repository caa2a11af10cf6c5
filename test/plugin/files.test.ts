/** Archives of plugins where files cannot be stored or read. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AssetBytes } from "../../src/domain/asset/AssetBytes.ts"
import { AssetStore } from "../../src/domain/asset/AssetStore.ts"
import { DiskSpace, StorageFull } from "../../src/domain/asset/DiskSpace.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { honest, manifestEntry, zipOf } from "./archives/zip.ts"
import { plugins, updatePackage, uploadPlugin } from "./support.ts"

/** Whether files can be stored and read, whether they can be taken over, and how much of the disk is free, now and later. */
const state = { isAvailable: true, isAdopted: true, free: 1000, freeLater: 1000 }

const unavailable = Effect.fail(new AssetBytesUnavailable({ metadata: { retry_after: 5 } }))

const bytes = TestApp.storesBut(AssetBytes, (usual) => ({
  ...usual,
  receive: (bytes) => (state.isAvailable ? usual.receive(bytes) : unavailable),
  open: (place, part) => (state.isAvailable ? usual.open(place, part) : unavailable)
}))

const stores = Layer.effect(
  AssetStore,
  Effect.map(AssetStore, (usual) =>
    AssetStore.of({
      ...usual,
      adoptUploads: (keys) => (state.isAdopted ? usual.adoptUploads(keys) : Effect.succeed(false))
    })
  )
).pipe(Layer.provideMerge(bytes))

const free = Effect.sync(() => {
  const found = state.free
  state.free = state.freeLater
  return found
})

const disk = Layer.succeed(DiskSpace, { free, reserve: 1000 })

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

  it.effect("is given up while it arrives where it fills the disk", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const data = randomBytes(3 * 1024 * 1024).toString("latin1")
      const archive = zipOf([manifestEntry, { name: "data", data, isStored: true }])
      const before = yield* stored
      Object.assign(state, { free: 1000, freeLater: 999 })
      assertProblem(yield* uploadPlugin(odin, archive), StorageFull)
      Object.assign(state, { free: 1000, freeLater: 1000 })
      assert.deepStrictEqual(yield* stored, before)
      ok(yield* uploadPlugin(odin, archive))
    })
  )

  it.effect("is not used where its file was given up meanwhile, as that took so long", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* uploadPlugin(odin, honest()))
      const before = yield* stored
      state.isAdopted = false
      for (const upload of [uploadPlugin(odin, honest()), updatePackage(odin, id, honest({ version: "2" }))])
        assertProblem(yield* upload, AssetBytesUnavailable, { retry_after: 5 })
      state.isAdopted = true
      assert.deepStrictEqual(yield* stored, before)
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
