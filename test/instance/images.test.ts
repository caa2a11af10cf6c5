/** The icon and the banner of an instance: drawn ones, and those that are uploaded. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { iconSizes } from "../../src/domain/instance/InstanceImage.ts"
import { ok } from "../support/answers.ts"
import { download } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"
import { banner, decode, drawing, filesIn, iconOf } from "./support.ts"

const caching = { icon: "public, max-age=31536000", banner: "public, max-age=3600" }

/** Path, size and caching of every image. */
const all: ReadonlyArray<readonly [string, string, string]> = [
  ...iconSizes.map((size) => [`/info/icon/${size}`, size, caching.icon] as const),
  ["/info/banner", "1200x630", caching.banner]
]

layer(People.layer)("an image of an instance that has uploaded none", (it) => {
  it.effect("is drawn in each size, always the same", () =>
    Effect.gen(function* () {
      const tags = new Set<unknown>()
      for (const [path, size, expected] of all) {
        const { bytes, headers, status } = yield* download(`/api${path}`)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["content-type"], "image/png")
        assert.strictEqual(headers["content-length"], String(bytes.length))
        assert.strictEqual(headers["cache-control"], expected)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.match(String(headers["content-security-policy"]), /default-src 'none'.*sandbox/)
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        const { at, format, height, width } = yield* decode(bytes)
        assert.deepStrictEqual([format, `${width}x${height}`], ["png", size])
        assert.deepStrictEqual(at(0, 0), [0x2f, 0x6f, 0x5e, 255])
        assert.deepStrictEqual(at(width >> 1, height >> 1), [255, 255, 255, 255])
        tags.add(headers.etag)
        const again = yield* download(`/api${path}`)
        assert.isTrue(again.bytes.equals(bytes))
        const same = yield* download(`/api${path}`, { "if-none-match": String(headers.etag) })
        assert.deepStrictEqual(
          [same.status, same.bytes.length, same.headers.etag, same.headers["cache-control"]],
          [304, 0, headers.etag, expected]
        )
        const head = yield* download(`/api${path}`, {}, "HEAD")
        assert.deepStrictEqual(
          [head.status, head.bytes.length, head.headers["content-length"], head.headers.etag],
          [200, 0, String(bytes.length), headers.etag]
        )
      }
      assert.strictEqual(tags.size, 7)
      assert.deepStrictEqual(yield* filesIn("files"), [])
    })
  )

  it.effect("is not there in another size", () =>
    Effect.gen(function* () {
      for (const size of ["64x64", "512", "512X512", "512x512.png", "0x0", "1200x630", "toString", "%20"]) {
        assertInvalid(yield* guest.get(`/info/icon/${size}`), "path icon_size")
      }
    })
  )
})

/** Three stripes, of which one is in the centre. */
const striped = (format: "png" | "jpeg" | "webp" | "gif") =>
  Effect.promise(() => {
    const stripe = (background: string) => ({
      create: { width: 200, height: 200, channels: 3 as const, background }
    })
    return sharp(stripe("lime"))
      .extend({ left: 200, background: "red" })
      .extend({ right: 200, background: "blue" })
      .toFormat(format, format === "gif" ? {} : { quality: 100 })
      .toBuffer()
  })

const isGreen = ([red = 255, green = 0, blue = 255, alpha = 0]: ReadonlyArray<number>) =>
  red < 20 && green > 235 && blue < 20 && alpha === 255

layer(People.layer)("an uploaded icon", (it) => {
  it.effect("is a square PNG image of each size, cut out of the middle, of each format", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      let before = (yield* iconOf("32x32")).headers.etag
      for (const format of ["png", "jpeg", "webp", "gif"] as const) {
        const sent = yield* odin.post("/info/icon", yield* striped(format), { "content-type": "text/html" })
        assert.deepStrictEqual([sent.status, sent.text, sent.headers["content-length"]], [200, "", "0"])
        for (const size of iconSizes) {
          const { bytes, headers, status } = yield* iconOf(size, { "if-none-match": String(before) })
          assert.strictEqual(status, 200)
          assert.strictEqual(headers["content-type"], "image/png")
          assert.strictEqual(headers["content-length"], String(bytes.length))
          assert.strictEqual(headers["cache-control"], caching.icon)
          assert.strictEqual(headers["x-content-type-options"], "nosniff")
          assert.match(String(headers["content-security-policy"]), /default-src 'none'.*sandbox/)
          const image = yield* decode(bytes)
          assert.deepStrictEqual([image.format, `${image.width}x${image.height}`], ["png", size])
          for (const [x, y] of [
            [image.width >> 3, image.width >> 3],
            [image.width - (image.width >> 3), image.width >> 3],
            [image.width >> 1, image.height - 3]
          ] as const) {
            assert.isTrue(isGreen(image.at(x, y)), `${format} ${size}: ${image.at(x, y)}`)
          }
          const same = yield* iconOf(size, { "if-none-match": String(headers.etag) })
          assert.deepStrictEqual([same.status, same.bytes.length], [304, 0])
          const head = yield* iconOf(size, {}, "HEAD")
          assert.deepStrictEqual(
            [head.bytes.length, head.headers["content-length"], head.headers.etag],
            [0, String(bytes.length), headers.etag]
          )
          if (size === "32x32") before = headers.etag
        }
      }
      // The banner is another image.
      assert.match(String((yield* banner()).headers.etag), /drawn/)
    })
  )

  it.effect("is larger than what was sent, upright, and says nothing of where it was taken", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      // Lies on its side: the upper half is what its left half is shown as.
      const turned = yield* Effect.promise(() =>
        sharp({ create: { width: 8, height: 16, channels: 3, background: "lime" } })
          .extend({ left: 8, background: "red" })
          .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
          .withMetadata({ orientation: 6 })
          .withExifMerge({ IFD3: { GPSLatitudeRef: "N", GPSAreaInformation: "at home" } })
          .toBuffer()
      )
      ok(yield* odin.post("/info/icon", turned))
      const { bytes } = yield* iconOf("512x512")
      const { at, exif, icc } = yield* decode(bytes)
      assert.isTrue(isGreen(at(256, 500)), String(at(256, 500)))
      assert.isAbove(at(256, 12)[0] ?? 0, 235)
      assert.isBelow(at(256, 12)[1] ?? 255, 20)
      assert.deepStrictEqual([exif, icc], [undefined, undefined])
      assert.notInclude(bytes.toString("latin1"), "at home")
    })
  )

  it.effect("keeps what can be seen through, shades, and colours of sixteen bits", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const clear = yield* Effect.promise(() =>
        sharp({
          create: { width: 600, height: 600, channels: 4, background: { r: 200, g: 100, b: 50, alpha: 0 } }
        })
          .png()
          .toBuffer()
      )
      ok(yield* odin.post("/info/icon", clear))
      assert.strictEqual((yield* decode((yield* iconOf("180x180")).bytes)).at(90, 90)[3], 0)

      const grey = yield* Effect.promise(() =>
        sharp({ create: { width: 64, height: 64, channels: 3, background: "#808080" } })
          .toColourspace("b-w")
          .png()
          .toBuffer()
      )
      ok(yield* odin.post("/info/icon", grey))
      assert.deepStrictEqual(
        (yield* decode((yield* iconOf("180x180")).bytes)).at(90, 90),
        [128, 128, 128, 255]
      )

      const deep = yield* Effect.promise(() =>
        sharp({ create: { width: 64, height: 64, channels: 3, background: "#c08040" } })
          .toColourspace("rgb16")
          .png()
          .toBuffer()
      )
      assert.strictEqual(deep[24], 16)
      ok(yield* odin.post("/info/icon", deep))
      assert.deepStrictEqual(
        (yield* decode((yield* iconOf("180x180")).bytes)).at(90, 90),
        [0xc0, 0x80, 0x40, 255]
      )
    })
  )

  it.effect("contains nothing else that the file contained", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const script = Buffer.from("<script>alert(document.domain)</script>")
      ok(yield* odin.post("/info/icon", Buffer.concat([yield* drawing(40, 40), script])))
      for (const size of iconSizes) {
        assert.isFalse((yield* iconOf(size)).bytes.includes("<script>"))
      }
    })
  )

  it.effect("may be as long as a strip, and as large as images may be", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const [width, height] of [
        [20_000, 3],
        [3, 16_000],
        [8000, 5000]
      ] as const) {
        ok(yield* odin.post("/info/icon", yield* drawing(width, height)))
        const image = yield* decode((yield* iconOf("512x512")).bytes)
        assert.deepStrictEqual(
          [image.width, image.height, ...image.at(256, 256)],
          [512, 512, 0, 128, 128, 255]
        )
      }
    })
  )
})

layer(People.layer)("an uploaded banner", (it) => {
  it.effect("is one PNG image of its size, cut out of the middle", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [tall, sent] = [
        yield* Effect.promise(() =>
          sharp({ create: { width: 1000, height: 500, channels: 3, background: "lime" } })
            .extend({ top: 400, background: "red" })
            .extend({ bottom: 400, background: "blue" })
            .png()
            .toBuffer()
        ),
        yield* banner()
      ]
      ok(yield* odin.post("/info/banner", tall))
      const { bytes, headers, status } = yield* banner({ "if-none-match": String(sent.headers.etag) })
      assert.deepStrictEqual([status, headers["cache-control"]], [200, caching.banner])
      const image = yield* decode(bytes)
      assert.deepStrictEqual([image.format, image.width, image.height], ["png", 1200, 630])
      for (const [x, y] of [
        [3, 20],
        [1196, 610],
        [600, 315]
      ] as const) {
        assert.isTrue(isGreen(image.at(x, y)), String(image.at(x, y)))
      }
      assert.strictEqual((yield* banner({ "if-none-match": String(headers.etag) })).status, 304)
      const head = yield* banner({}, "HEAD")
      assert.deepStrictEqual([head.bytes.length, head.headers["content-length"]], [0, String(bytes.length)])
      assert.match(String((yield* iconOf("32x32")).headers.etag), /drawn/)
      assert.strictEqual((yield* filesIn("files")).length, 1)
    })
  )
})
