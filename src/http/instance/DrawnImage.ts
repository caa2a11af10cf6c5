/** The icon and the banner of an instance that has uploaded none: a speech bubble on the colour of a new instance. */
import { coloured, fade, outline } from "../bytes/PalettePng.ts"

const background = [0x2f, 0x6f, 0x5e] as const
const white = [0xff, 0xff, 0xff] as const

// The colours between both, which make edges smooth.
const shades = 17

/** How far a point is outside of a rectangle with round corners around the origin; negative inside. */
const outsideBox = (x: number, y: number, halfWidth: number, halfHeight: number, radius: number): number => {
  const overX = Math.abs(x) - halfWidth + radius
  const overY = Math.abs(y) - halfHeight + radius
  const [cornerX, cornerY] = [Math.max(overX, 0), Math.max(overY, 0)]
  return Math.sqrt(cornerX * cornerX + cornerY * cornerY) + Math.min(Math.max(overX, overY), 0) - radius
}

/** How far a point is outside of a triangle whose right angle is at the upper left; negative inside. */
const outsideTriangle = (x: number, y: number, width: number, height: number): number => {
  const slope = (x * height + y * width - width * height) / Math.sqrt(width * width + height * height)
  return Math.max(-x, -y, slope)
}

/** A PNG image of this size, the same for ever. */
export const drawImage = (width: number, height: number): Uint8Array => {
  const unit = Math.min(width, height)
  const [left, top] = [width / 2, 0.45 * height]
  const placeAt = (column: number, row: number) => {
    const [x, y] = [(column + 0.5 - left) / unit, (row + 0.5 - top) / unit]
    if (Math.abs(x) > 0.35 || Math.abs(y) > 0.4) return 0
    const outside = Math.min(outsideBox(x, y, 0.3, 0.22, 0.1), outsideTriangle(x + 0.16, y - 0.2, 0.16, 0.17))
    const covered = Math.min(Math.max(0.5 - outside * unit, 0), 1)
    return Math.round(covered * (shades - 1))
  }
  return coloured(outline(width, height, placeAt), fade(background, white, shades))
}
