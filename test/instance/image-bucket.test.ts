import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { ok } from "../support/answers.ts"
import { Fake, inBucket } from "../support/bucketApp.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { decode, drawing, iconOf, noted, shown, traces } from "./support.ts"

layer(inBucket)("images in a bucket", (it) => {
  it.effect("are stored all together, read from there, and removed when others have replaced them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const bucket = yield* Fake
      const { clean } = yield* Assets
      ok(yield* odin.post("/info/icon", yield* drawing(10, 10)))
      assert.strictEqual(bucket.objects.size, 6)
      const { bytes } = yield* iconOf("512x512")
      assert.strictEqual((yield* decode(bytes)).width, 512)
      assert.deepStrictEqual((yield* shown)[0]?.store, "s3")

      // The bucket fails after some of the images.
      const before = yield* traces
      let stored = 0
      bucket.answer = ({ method }, response) => {
        if (method !== "PUT" || ++stored <= 3) return false
        response.writeHead(500).end("<Error/>")
        return true
      }
      assertProblem(yield* odin.post("/info/icon", yield* drawing(20, 20)), AssetBytesUnavailable, {
        retry_after: 5
      })
      bucket.answer = undefined
      assert.deepStrictEqual((yield* traces).tags, before.tags)
      assert.isTrue((yield* iconOf("512x512")).bytes.equals(bytes))
      ok(yield* odin.post("/info/icon", yield* drawing(30, 30)))
      assert.strictEqual(bucket.objects.size, 6 + 3 + 6)
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.strictEqual(bucket.objects.size, 6)
      assert.strictEqual((yield* iconOf("32x32")).status, 200)
      assert.deepStrictEqual(yield* noted, [])
    })
  )
})
