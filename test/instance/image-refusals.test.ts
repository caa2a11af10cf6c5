import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ImageTooLarge, NotAnImage } from "../../src/domain/asset/ImageRefusal.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PayloadTooLarge } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, gif, jpeg, png, webp } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { drawing, paths, traces } from "./support.ts"

layer(People.layer)("what is no image of the instance", (it) => {
  it.effect("is refused, whatever it is called, and changes nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const path of paths) ok(yield* odin.post(path, yield* drawing(50, 50)))
      const before = yield* traces
      const whole = yield* drawing(300, 200)
      const script = "<script>alert(document.domain)</script>"
      const cases: ReadonlyArray<readonly [string, Uint8Array]> = [
        ["nothing", bytesOf()],
        ["text", bytesOf("icon")],
        ["a page", bytesOf(`<!DOCTYPE html>${script}`)],
        ["SVG", bytesOf(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${script}</svg>`)],
        ["a script that begins like GIF", bytesOf("GIF89a", [9, 0, 9, 0], "/*\n*/=1;alert(1)")],
        ["PDF", bytesOf("%PDF-1.7\n1 0 obj\n")],
        ["AVIF", bytesOf([0, 0, 0, 28], "ftypavif", [0, 0, 0, 0], "avifmif1miaf")],
        ["TIFF", bytesOf("II*\0", Buffer.alloc(64))],
        ["half a PNG image", whole.subarray(0, whole.length >> 1)],
        ["the beginning of a JPEG image", jpeg(40, 40)],
        ["the beginning of a GIF image", gif(40, 40)],
        ["the beginning of a WebP image", webp.lossy(40, 40)],
        ["the header of a PNG image", png(40, 40)],
        ["a PNG image without pixels", png(0, 0)]
      ]
      for (const [name, file] of cases) {
        for (const path of paths) {
          const answer = yield* odin.post(path, file, { "content-type": "image/png" })
          assert.strictEqual(answer.status, 400, name)
          assertProblem(answer, NotAnImage)
        }
      }
      assert.deepStrictEqual(yield* traces, before)
    })
  )

  it.effect("is refused for its pixels before any is decoded", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* traces
      for (const [file, width, height] of [
        [png(60_000, 60_000), 60_000, 60_000],
        [png(40_000, 1001), 40_000, 1001],
        [gif(65_535, 65_535), 65_535, 65_535],
        [jpeg(65_535, 65_535), 65_535, 65_535],
        [webp.extended(16_384, 16_384), 16_384, 16_384]
      ] as const) {
        for (const path of paths) {
          assertProblem(yield* odin.post(path, file), ImageTooLarge, { width, height, maximum: 40_000_000 })
        }
      }
      assert.deepStrictEqual(yield* traces, before)
    })
  )

  it.effect("is refused for its bytes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const maximum = 50 * 1024 * 1024
      const before = yield* traces
      for (const path of paths) {
        assertProblem(yield* odin.post(path, new Uint8Array(maximum + 1)), PayloadTooLarge, { maximum })
      }
      assert.deepStrictEqual(yield* traces, before)
    })
  )

  it.effect("is everything that somebody sends who may not change settings", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const before = yield* traces
      const image = yield* drawing(20, 20)
      yield* grant(tyr, "MANAGE_SETTINGS")
      yield* suspend(loki)
      for (const path of paths) {
        for (const file of [image, bytesOf("no image")]) {
          assertProblem(yield* guest.post(path, file), Unauthenticated)
          assertProblem(yield* freya.post(path, file), Forbidden, { permission: "MANAGE_SETTINGS" })
          assertProblem(yield* loki.post(path, file), AccountSuspended)
        }
      }
      yield* reinstate(loki)
      assert.deepStrictEqual(yield* traces, before)
      for (const path of paths) ok(yield* tyr.post(path, image))
      assert.notDeepEqual(yield* traces, before)
    })
  )
})
