/** Images that are made to take a decoder's time or memory. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, layer, it as plain } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { Thumbnailer } from "../../src/domain/asset/Thumbnailer.ts"
import { bytesMax, countScans, heldBytes, scansMax } from "../../src/layers/adapters/images/DecodingCost.ts"
import { DecoderSettings, layerFor } from "../../src/layers/adapters/images/SharpThumbnailer.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { download, upload } from "../support/files.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const startOfScan = Buffer.from([0xff, 0xda])

const segment = (marker: number, ...bytes: ReadonlyArray<number>) =>
  Buffer.from([0xff, marker, 0, bytes.length + 2, ...bytes])

/** A Huffman table of one symbol, which is written as the bit 0 (ITU-T T.81, B.2.4.2). */
const table = (kind: number, symbol: number) => segment(0xc4, kind, 1, ...Array<number>(15).fill(0), symbol)

/**
 * A progressive JPEG, grey and of 512 x 512 pixels, in which each coefficient but the first comes in as many scans as
 * there are levels: `1 + 63 * levels` scans, all of them as the standard allows.
 */
const progressive = (levels: number) => {
  const blocks = 64 * 64
  const scans = Array.from({ length: levels }, (_, level) => {
    const [from, to] = [level === 0 ? 0 : levels - level, levels - 1 - level]
    return Array.from({ length: 63 }, (_, index) =>
      // One run over all blocks: the bit 0 for 2^12 of them, and 12 bits for none more.
      Buffer.concat([segment(0xda, 1, 1, 0, index + 1, index + 1, from * 16 + to), Buffer.from([0x00, 0x07])])
    )
  })
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, 2, 0, 2, 0, 1, 1, 0x11, 0),
    table(0x00, 0),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.alloc(blocks / 8),
    table(0x10, 0xc0),
    ...scans.flat(),
    Buffer.from([0xff, 0xd9])
  ])
}

layer(People.layer)("a JPEG", (it) => {
  it.effect(
    "of many scans is answered as it was uploaded, and one of less than a hundred is made smaller",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        for (const [levels, type] of [
          [2, "image/jpeg"],
          [1, "image/webp"]
        ] as const) {
          const file = progressive(levels)
          const { path } = yield* upload(freya, file, { filename: "a.jpeg" })
          const answer = yield* download(`${path}?width=64`)
          assert.strictEqual(answer.headers["content-type"], type)
        }
      })
  )
})

layer(TestApp.files)("scans", (it) => {
  it.effect("are counted over the parts in which a file is read, no further than too many", () =>
    Effect.gen(function* () {
      const { directory } = yield* AssetFiles
      const path = join(directory, "scans")
      const count = (bytes: Buffer) =>
        Effect.promise(async () => {
          await writeFile(path, bytes)
          return countScans(path)
        })
      assert.strictEqual(yield* count(Buffer.alloc(10)), 0)
      // A stream reads 64 KiB at a time: this marker stands across two parts.
      const across = Buffer.alloc(70_000)
      across.set(startOfScan, 65_535)
      assert.strictEqual(yield* count(across), 1)
      assert.strictEqual(yield* count(Buffer.concat(Array.from({ length: 99 }, () => startOfScan))), 99)
      const many = Buffer.concat(Array.from({ length: 1_000_000 }, () => startOfScan))
      assert.isAbove(yield* count(many), scansMax)
    })
  )
})

describe("the memory of a decoder", () => {
  plain("is bounded by what the file declares", () => {
    const declared = { format: "png", width: 8000, height: 5000, channels: 4, bytes: 1, isProgressive: true }
    assert.isAtMost(heldBytes(declared), bytesMax)
    assert.isAbove(heldBytes({ ...declared, bytes: 2 }), bytesMax)
    assert.strictEqual(heldBytes({ ...declared, bytes: 2, isProgressive: false }), 0)
  })
})

const hanging = layerFor("sharp").pipe(
  Layer.provide(
    Layer.succeed(DecoderSettings, {
      // Answers nothing, and does not end.
      program: new URL("../support/hanging.ts", import.meta.url),
      longest: Duration.millis(300)
    })
  )
)

describe("a process that decodes", () => {
  plain("is ended when it takes too long, and another one takes its place", () =>
    Effect.gen(function* () {
      const { make } = yield* Thumbnailer
      for (const _ of ["first", "second"]) assert.isTrue(Option.isNone(yield* make("/nowhere", 64)))
      const messages = (yield* Logs.Logs).map(({ text }) => text)
      assert.lengthOf(messages, 2)
      for (const message of messages) assert.include(message, "A process that decodes images was ended")
    }).pipe(Effect.provide(Layer.merge(hanging, Logs.layer)), Effect.scoped, Effect.runPromise)
  )

  plain("that cannot read a file goes on with the next one", () =>
    Effect.gen(function* () {
      const { make } = yield* Thumbnailer
      const { directory } = yield* AssetFiles
      const path = join(directory, "image")
      yield* Effect.promise(() => writeFile(path, "no image"))
      assert.isTrue(Option.isNone(yield* make(path, 64)))
      yield* Effect.promise(() => writeFile(path, progressive(1)))
      assert.isTrue(Option.isSome(yield* make(path, 64)))
    }).pipe(Effect.provide(Layer.merge(layerFor("sharp"), TestApp.files)), Effect.scoped, Effect.runPromise)
  )
})
