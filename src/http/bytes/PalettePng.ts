/** Writes PNG files whose pixels are places in a palette of at most 256 colours. */
import { crc32, deflateSync } from "node:zlib"

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** A part of a PNG file: its length, name, contents and checksum. */
const chunk = (name: string, contents: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(contents.length + 12)
  bytes.writeUInt32BE(contents.length, 0)
  bytes.write(name, 4, "latin1")
  bytes.set(contents, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, contents.length + 8)), contents.length + 8)
  return bytes
}

/** Everything of a PNG file but its palette, which comes between both parts. */
export interface Outline {
  readonly start: Uint8Array
  readonly end: Uint8Array
}

/** An image of this size; `placeAt` answers the place in the palette of each pixel. */
export const outline = (
  width: number,
  height: number,
  placeAt: (x: number, y: number) => number
): Outline => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each pixel, which are places in the palette.
  header.set([8, 3, 0, 0, 0], 8)
  // A row has its filter, none, before its pixels.
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = placeAt(x, y)
  }
  return {
    start: Buffer.concat([signature, chunk("IHDR", header)]),
    end: Buffer.concat([chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))])
  }
}

export type Colour = readonly [red: number, green: number, blue: number]

/** Colours from one to another, both included. */
export const fade = (from: Colour, to: Colour, shades: number): Uint8Array => {
  const palette = Buffer.alloc(3 * shades)
  for (let shade = 0; shade < shades; shade++) {
    const part = shade / (shades - 1)
    for (const [place, channel] of from.entries()) {
      palette[3 * shade + place] = Math.round(channel + part * ((to[place] ?? channel) - channel))
    }
  }
  return palette
}

export const coloured = ({ end, start }: Outline, palette: Uint8Array): Uint8Array =>
  Buffer.concat([start, chunk("PLTE", palette), end])
