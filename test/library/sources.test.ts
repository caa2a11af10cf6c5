/** Files that the service fetches from addresses that members name. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { UploadQuotaExceeded } from "../../src/domain/asset/UploadQuota.ts"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { AssetSourceFailed, NodeNotYours } from "../../src/domain/library/NodeProblems.ts"
import { OutboundFailed } from "../../src/domain/outbound/Outbound.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, download, png } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as Quotas from "../support/quotas.ts"
import * as TestApp from "../support/TestApp.ts"
import { page } from "./writeSupport.ts"

const picture = { headers: { "content-type": "text/html" }, body: png(3, 2) }

const countAssets = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from assets`, ([row]) => row?.n)
)

layer(People.layer)("the sources of a page's files", (it) => {
  it.effect("are fetched once and stored as files of who asks", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* Pages.clear
      Pages.put("https://a.test/dir/picture.png?x=1", Pages.page("", picture))
      Pages.put("https://b.test/", Pages.page("", { body: bytesOf("plain text") }))
      const sources = [
        "https://a.test/dir/picture.png?x=1",
        "https://b.test/",
        "https://a.test/dir/picture.png?x=1"
      ]
      const created = yield* page(freya, "With sources", { asset_sources: sources })
      assert.deepStrictEqual(Pages.asked, sources.slice(0, 2))
      assert.deepStrictEqual(
        created.assets
          .map((one: { readonly mime_type: string; readonly width: number }) => [one.mime_type, one.width])
          .sort(),
        [
          ["image/png", 3],
          ["text/plain; charset=utf-8", 0]
        ]
      )
      const stored = created.assets.find(({ width }: { readonly width: number }) => width === 3)
      assert.match(stored.filename, /picture-png$/)
      assert.deepStrictEqual(new Uint8Array((yield* download(stored.path)).bytes), picture.body)
      const sql = yield* SqlClient.SqlClient
      const owners = yield* sql<{
        readonly owner_id: string
      }>`select distinct account_id as owner_id from assets`
      assert.deepStrictEqual(owners, [{ owner_id: freya.id }])
      // A change adds to those.
      const changed = ok(yield* freya.patch(`/nodes/${created.id}`, { asset_sources: ["https://b.test/"] }))
      assert.strictEqual(changed.assets.length, 3)
    })
  )

  it.effect("that cannot be fetched fail the request, by their address", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* Pages.clear
      const good = "https://good.test/"
      Pages.put(good, Pages.page("", picture))
      Pages.put("https://gone.test/", Pages.page("", { status: 404 }))
      const url = "https://slow.test/"
      Pages.put(url, Effect.fail(new OutboundFailed({ url, reason: "time" })))
      const large = "https://large.test/"
      Pages.put(large, Effect.fail(new OutboundFailed({ url: large, reason: "size" })))
      const failing = [
        ["https://gone.test/", "status"],
        [url, "time"],
        [large, "size"],
        ["http://127.0.0.1/", "refused"],
        ["file:///etc/passwd", "refused"],
        ["nothing", "refused"]
      ] as const
      for (const [address, reason] of failing) {
        const body = { name: "Failing", asset_sources: [good, address] }
        assertProblem(yield* freya.post("/nodes", body), AssetSourceFailed, { url: address, reason })
      }
      assert.strictEqual((yield* freya.get("/nodes/failing")).status, 404)
    })
  )

  it.effect("are fetched only for what is otherwise in order, and by who may upload", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* page(freya, "Nobody else's")
      yield* Pages.clear
      Pages.put("https://a.test/", Pages.page("", picture))
      const sources = { asset_sources: ["https://a.test/"] }
      const before = yield* countAssets
      assertProblem(yield* loki.patch(`/nodes/${id}`, sources), NodeNotYours)
      assertProblem(yield* loki.patch("/nodes/nowhere", sources), NodeNotFound)
      assertProblem(yield* freya.post("/nodes", { name: "x", parent: "nowhere", ...sources }), NodeNotFound)
      const many = Array.from({ length: 11 }, (_, n) => `https://a.test/${n}`)
      assertInvalid(yield* freya.post("/nodes", { name: "x", asset_sources: many }), "body asset_sources")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = array_remove(permissions, 'UPLOAD_ASSET') where name = 'Member'`
      assertProblem(yield* freya.patch(`/nodes/${id}`, sources), Forbidden, { permission: "UPLOAD_ASSET" })
      assert.deepStrictEqual(Pages.asked, [])
      assert.strictEqual(yield* countAssets, before)
    })
  )
})

/** One file, however small. */
const quota = 64 * 1024

layer(People.withCast(TestApp.layer.pipe(Layer.provide(Quotas.only({ account: quota })))))(
  "the sources of a page's files",
  (it) => {
    it.effect("count as uploads of who asks, and are refused like these", () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        yield* Pages.clear
        for (const n of [1, 2, 3]) Pages.put(`https://a.test/${n}`, Pages.page("", { body: bytesOf(`${n}`) }))
        const { id } = yield* page(freya, "First", { asset_sources: ["https://a.test/1"] })
        Pages.asked.length = 0
        const second = { name: "Second", asset_sources: ["https://a.test/2"] }
        assertProblem(yield* freya.post("/nodes", second), UploadQuotaExceeded, {
          quota: "account",
          maximum: quota,
          retry_after: 86_400
        })
        assert.strictEqual((yield* freya.get("/nodes/second")).status, 404)
        const third = { asset_sources: ["https://a.test/3"] }
        assertProblem(yield* freya.patch(`/nodes/${id}`, third), UploadQuotaExceeded, {
          quota: "account",
          maximum: quota,
          retry_after: 86_400
        })
        assert.strictEqual(ok(yield* freya.get(`/nodes/${id}`)).assets.length, 1)
        assert.deepStrictEqual(Pages.asked, [])
      })
    )
  }
)
