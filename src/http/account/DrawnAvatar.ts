/** The avatar of an account that has uploaded none: a square that fades from one colour into another, both from its id. */
import { crc32, deflateSync } from "node:zlib"

const side = 128
const shades = 2 * side - 1

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** A chunk of a PNG file: its length, name, contents and checksum. */
const chunk = (name: string, contents: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(contents.length + 12)
  bytes.writeUInt32BE(contents.length, 0)
  bytes.write(name, 4, "latin1")
  bytes.set(contents, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, contents.length + 8)), contents.length + 8)
  return bytes
}

const header = () => {
  const contents = Buffer.alloc(13)
  contents.writeUInt32BE(side, 0)
  contents.writeUInt32BE(side, 4)
  // Eight bits for each pixel, which are places in the palette.
  contents.set([8, 3, 0, 0, 0], 8)
  return chunk("IHDR", contents)
}

/** From one corner to the other. A row has its filter, none, before its pixels. */
const pixels = () => {
  const rows = Buffer.alloc(side * (side + 1))
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) rows[y * (side + 1) + 1 + x] = x + y
  }
  return chunk("IDAT", deflateSync(rows))
}

// The same in all avatars: only their palettes differ.
const [start, end] = [
  Buffer.concat([signature, header()]),
  Buffer.concat([pixels(), chunk("IEND", Buffer.alloc(0))])
]

type Colour = readonly [number, number, number]

const colourOf = (hue: number): Colour => {
  const [saturation, lightness] = [0.6, 0.6]
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    const part = lightness - saturation * (1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(part * 255)
  }
  return [channel(0), channel(8), channel(4)]
}

const hashOf = (text: string): number => {
  let hash = 2166136261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  // Ids of one second differ in few bits, which this spreads to all.
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** A PNG image of 128 by 128 pixels, the same for ever. */
export const drawAvatar = (accountId: string): Uint8Array => {
  const hash = hashOf(accountId)
  const hue = hash % 360
  const from = colourOf(hue)
  const to = colourOf((hue + 40 + ((hash >>> 9) % 100)) % 360)
  const palette = Buffer.alloc(3 * shades)
  for (let shade = 0; shade < shades; shade++) {
    const part = shade / (shades - 1)
    for (const [place, channel] of from.entries()) {
      palette[3 * shade + place] = Math.round(channel + part * ((to[place] ?? channel) - channel))
    }
  }
  return Buffer.concat([start, chunk("PLTE", palette), end])
}
