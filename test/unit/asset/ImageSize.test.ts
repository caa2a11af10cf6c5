import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeImageSizeReader } from "../../../src/domain/asset/ImageSize.ts"
import { bytesOf, gif, jpeg, png, webp } from "../../support/files.ts"

/** The size as it is read from parts of this length. */
const sizeOf = (file: Uint8Array, part = file.length || 1) => {
  const reader = makeImageSizeReader()
  for (let at = 0; at < file.length; at += part) reader.add(file.subarray(at, at + part))
  const { height, width } = reader.size()
  return [width, height]
}

describe("the size of an image", () => {
  it.each([
    ["PNG", png(640, 480), [640, 480]],
    ["PNG, large", png(60_000, 60_000), [60_000, 60_000]],
    ["GIF", gif(300, 200), [300, 200]],
    ["GIF87a", bytesOf("GIF87a", gif(1, 65_535).subarray(6)), [1, 65_535]],
    ["WebP, lossy", webp.lossy(1000, 16_383), [1000, 16_383]],
    ["WebP, lossless", webp.lossless(16_384, 3), [16_384, 3]],
    ["WebP with a header", webp.extended(70_000, 5), [70_000, 5]],
    ["JPEG", jpeg(1920, 1080), [1920, 1080]],
    ["JPEG with much metadata", jpeg(4000, 3000, 300_000), [4000, 3000]]
  ])("of %s is read, however it arrives", (_name, file, size) => {
    for (const part of [file.length, 1, 7, 64 * 1024]) expect(sizeOf(file, part)).toEqual(size)
  })

  it.each([
    ["nothing", bytesOf()],
    ["text", bytesOf("PNG IHDR")],
    ["a PNG that ends in its header", png(1, 1).subarray(0, 23)],
    [
      "a PNG whose first chunk is another",
      bytesOf(png(1, 1).subarray(0, 12), "IDAT", png(1, 1).subarray(16))
    ],
    ["a PNG of no height", png(1, 0)],
    ["a PNG wider than any", png(2 ** 31, 1)],
    ["a GIF that ends in its header", gif(1, 1).subarray(0, 9)],
    ["a WebP that ends in its header", webp.extended(9, 9).subarray(0, 29)],
    ["a WebP of an unknown kind", bytesOf(webp.extended(9, 9).subarray(0, 12), "VP9X", Buffer.alloc(20))],
    ["a JPEG that ends before its size", jpeg(9, 9).subarray(0, -4)],
    ["a JPEG that is over before its size", bytesOf([0xff, 0xd8, 0xff, 0xd9], jpeg(9, 9))],
    ["a JPEG with a scan before its size", bytesOf([0xff, 0xd8, 0xff, 0xda, 0, 4], jpeg(9, 9))],
    ["a JPEG with a segment that is too short", bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 1], jpeg(9, 9))],
    ["a JPEG with a byte that is no marker", bytesOf([0xff, 0xd8, 0x20], jpeg(9, 9))],
    ["a JPEG whose height comes later", jpeg(9, 0)]
  ])("of %s is not known", (_name, file) => {
    for (const part of [1, 1000]) expect(sizeOf(file, part)).toEqual([0, 0])
  })

  it("of any bytes is within bounds", () => {
    const starts = [png(1, 1), gif(1, 1), webp.lossy(1, 1), jpeg(1, 1)].map((file) => file.subarray(0, 12))
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 64 }), (start, rest) => {
        for (const length of sizeOf(bytesOf(start, rest))) {
          expect(Number.isInteger(length) && length >= 0 && length < 2 ** 31).toBe(true)
        }
      })
    )
  })
})
