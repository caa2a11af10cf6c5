/** Parts end at the same records, however the bytes come. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { partLength } from "../../../src/domain/exchange/Kinds.ts"
import { makeParts, type PartOfContents } from "../../../src/persistence/exchange/Parts.ts"

const bytesOf = async (bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

const cut = async (chunks: ReadonlyArray<Buffer>) => {
  const told: Array<PartOfContents> = []
  const { add, end } = makeParts("likes", (part) => told.push(part))
  const members = [...chunks.flatMap((chunk) => [...add(chunk)]), ...end()]
  const found = await Promise.all(
    members.map(async ({ bytes, name, size }) => ({ name, size, bytes: await bytesOf(bytes) }))
  )
  return { told, found }
}

const line = (length: number, letter: string) => Buffer.from(`${letter.repeat(length - 1)}\n`)

const chunksOf = (bytes: Buffer, length: number) =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
    bytes.subarray(n * length, (n + 1) * length)
  )

describe("the parts of a kind", () => {
  const lines = [
    line(partLength - 1, "a"),
    line(1, ""),
    line(partLength * 2, "b"),
    line(10, "c"),
    line(partLength - 10, "d"),
    line(100, "e")
  ]

  it("end with the record that makes them long enough, wherever pieces end", async () => {
    const bytes = Buffer.concat(lines)
    const expected = [
      { records: 2, bytes: partLength },
      { records: 1, bytes: partLength * 2 },
      { records: 2, bytes: partLength },
      { records: 1, bytes: 100 }
    ]
    for (const pieces of [lines, [bytes], chunksOf(bytes, 65_536), chunksOf(bytes, 1_000_003)]) {
      const { found, told } = await cut(pieces)
      assert.deepStrictEqual(
        told.map(({ bytes, records }) => ({ records, bytes })),
        expected
      )
      assert.isTrue(Buffer.concat(found.map(({ bytes }) => bytes)).equals(bytes))
      assert.deepStrictEqual(
        told,
        found.map(({ bytes, name, size }, n) => ({
          name,
          records: expected[n]?.records ?? 0,
          bytes: size,
          sha256: createHash("sha256").update(bytes).digest("hex")
        }))
      )
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        [1, 2, 3, 4].map((number) => `likes/00000${number}.ndjson`)
      )
    }
  })

  it("are none where there are no records", async () => {
    assert.deepStrictEqual(await cut([]), { told: [], found: [] })
  })
})
