/** Pictures for accounts: a mirrored pattern of squares, made from a name, as PNG. */
import { createHash } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"

const squares = 5
const margin = 1
const pixels = 24

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** A PNG of two colours (W3C PNG, colour type 3), one byte a pixel. */
const png = (side: number, colour: Buffer, isSet: (x: number, y: number) => boolean): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc(side * (side + 1))
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) rows[y * (side + 1) + 1 + x] = isSet(x, y) ? 1 : 0
  }
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.concat([Buffer.from([244, 242, 236]), colour])),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0))
  ])
}

/** The picture of a name; the same one every time. */
export const pictureOf = (name: string): Uint8Array => {
  const hash = createHash("sha256").update(name).digest()
  const colour = Buffer.from([0, 1, 2].map((index) => 40 + ((hash[index] ?? 0) % 140)))
  return png((squares + 2 * margin) * pixels, colour, (x, y) => {
    const column = Math.floor(x / pixels) - margin
    const row = Math.floor(y / pixels) - margin
    if (column < 0 || row < 0 || column >= squares || row >= squares) return false
    const mirrored = Math.min(column, squares - 1 - column)
    return (hash[3 + row * 3 + mirrored] ?? 0) % 2 === 1
  })
}
