/** The avatar of an account that has uploaded none: a square that fades from one colour into another, both from its id. */
import { type Colour, coloured, fade, outline } from "../bytes/PalettePng.ts"

const side = 128
const shades = 2 * side - 1

// From one corner to the other. The same in all avatars: only their palettes differ.
const square = outline(side, side, (x, y) => x + y)

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
  return coloured(square, fade(colourOf(hue), colourOf((hue + 40 + ((hash >>> 9) % 100)) % 360), shades))
}
