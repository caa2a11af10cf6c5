/** Cuts the lines of a kind into parts, at the same places whatever pieces they come in. */
import { createHash } from "node:crypto"
import { partLength, partOf } from "../../domain/exchange/Kinds.ts"
import type { Contents } from "../../domain/exchange/Manifest.ts"

/** The byte that ends a line. */
const lineFeed = 10

/** A file with the lines of a part. */
export interface Part {
  readonly name: string
  readonly size: number
  readonly bytes: ReadonlyArray<Buffer>
}

export type PartOfContents = Contents["parts"][number]

/** `told` is told of each part. */
export const makeParts = (kind: string, told: (part: PartOfContents) => void) => {
  let number = 0
  let pieces: Array<Buffer> = []
  let bytes = 0
  let records = 0

  const take = (piece: Buffer) => {
    if (piece.length === 0) return
    pieces.push(piece)
    bytes += piece.length
  }

  const finish = (): Part => {
    number += 1
    const hash = createHash("sha256")
    for (const piece of pieces) hash.update(piece)
    const name = partOf(kind, number)
    const part = { name, records, bytes, sha256: hash.digest("hex") }
    const member = { name, size: bytes, bytes: pieces }
    pieces = []
    bytes = 0
    records = 0
    told(part)
    return member
  }

  return {
    /** Takes lines, or pieces of them, and gives the parts that they complete. */
    add: function* (chunk: Buffer): Generator<Part> {
      let start = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
        records += 1
        if (bytes + at + 1 - start < partLength) continue
        take(chunk.subarray(start, at + 1))
        start = at + 1
        yield finish()
      }
      take(chunk.subarray(start))
    },
    end: function* (): Generator<Part> {
      if (bytes > 0) yield finish()
    }
  } as const
}
