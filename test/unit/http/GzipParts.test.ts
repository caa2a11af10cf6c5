/** Parts that are compressed once and continue the gzip of any answer. */
import { constants, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { gzipPartOf, makeGzip } from "../../../src/http/bytes/GzipParts.ts"

/** The gzip of an answer with these parts, without its end. */
const beginOf = (parts: ReadonlyArray<ReturnType<typeof gzipPartOf>>) => {
  const gzip = makeGzip()
  const bytes = Buffer.concat([gzip.header, ...parts.map(gzip.add)])
  return { bytes, whole: Buffer.concat([bytes, gzip.end()]) }
}

/** What a reader has of a body that goes on. */
const readSoFar = (bytes: Buffer) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })

// Some are stored, some are compressed, and some cannot be.
const part = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .tuple(fc.string({ minLength: 1 }), fc.integer({ min: 0, max: 2_000 }))
    .map(([text, times]) => Buffer.from(text.repeat(times))),
  fc.integer({ min: 4_000, max: 5_000 }).map((length) => {
    let state = length
    return Uint8Array.from({ length }, () => {
      state = (state * 48_271) % 0x7fff_ffff
      return state & 0xff
    })
  })
)

describe("parts that continue any gzip", () => {
  it("are read as they come, and end with the checksum and the length of the answer that they are in", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.nat(8), (texts, from) => {
        const parts = texts.map(gzipPartOf)
        // One answer has all of them, another one has begun later.
        for (const [some, bytes] of [
          [parts, Buffer.concat(texts)],
          [parts.slice(from), Buffer.concat(texts.slice(from))]
        ] as const) {
          const { bytes: begun, whole } = beginOf(some)
          assert.isTrue(readSoFar(begun).equals(bytes))
          // It fails if either is another one.
          assert.isTrue(gunzipSync(whole).equals(bytes))
        }
      })
    )
  })

  it("are smaller where they are large, and a few bytes longer where they are small", () => {
    const large = Buffer.from("id: AAAAAQAAAAAAAWBi\nevent: change\n".repeat(1000))
    assert.isBelow(gzipPartOf(large).bytes.length, large.length / 20)
    assert.strictEqual(gzipPartOf(Buffer.from(":\n\n")).bytes.length, 8)
  })

  it("count beyond the 32 bits that the length of an answer has", () => {
    const large = gzipPartOf(Buffer.alloc(2 ** 20))
    const gzip = makeGzip()
    for (let n = 0; n < 4096; n++) gzip.add(large)
    gzip.add(gzipPartOf(Buffer.from("abc")))
    assert.strictEqual(Buffer.from(gzip.end()).readUInt32LE(6), 3)
  })
})
