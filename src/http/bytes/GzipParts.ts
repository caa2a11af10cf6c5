/**
 * Bytes that continue many answers which last, compressed once for all of them (RFC 1951 and 1952). A part refers to
 * nothing before it and ends at a whole byte, so that it goes on whatever a client was sent before, and can be read at
 * once. What differs are the checksum and the length at the end of each answer.
 */
import { constants, crc32, deflateRawSync } from "node:zlib"

/** Below it, compressing takes longer than the writes that get shorter. */
const compressedFrom = 4096

/** No name, no time, and no word on how or where it was made. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)

/** The last block, which has nothing. */
const lastBlock = Uint8Array.of(3, 0)

// Polynomials over two elements, where the highest bit stands for 1 and the lowest for x to the 31st.
const one = 0x8000_0000
const xToThe8th = one >>> 8
const modulus = 0xedb8_8320

const timesX = (polynomial: number): number =>
  polynomial & 1 ? (polynomial >>> 1) ^ modulus : polynomial >>> 1

const product = (left: number, right: number): number => {
  let sum = 0
  let shifted = right
  for (let rest = left; rest !== 0; rest <<= 1) {
    if (rest & one) sum ^= shifted
    shifted = timesX(shifted)
  }
  return sum >>> 0
}

/** What the checksum of what came before is multiplied by when so many bytes follow it. */
const shiftOf = (length: number): number => {
  let shift = one
  let square = xToThe8th
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = product(shift, square)
    square = product(square, square)
  }
  return shift
}

export interface GzipPart {
  readonly bytes: Uint8Array
  readonly crc: number
  readonly length: number
  readonly shift: number
}

/** A block that has bytes as they are. */
const stored = (bytes: Uint8Array): Uint8Array => {
  const block = Buffer.alloc(5 + bytes.length)
  block.writeUInt16LE(bytes.length, 1)
  block.writeUInt16LE(bytes.length ^ 0xffff, 3)
  block.set(bytes, 5)
  return block
}

// A higher level takes twice as long for a tenth less.
const compressed = (bytes: Uint8Array): Uint8Array =>
  deflateRawSync(bytes, { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH })

/** Bytes as a part that continues the gzip of any answer. */
export const gzipPartOf = (bytes: Uint8Array): GzipPart => ({
  bytes: bytes.length < compressedFrom ? stored(bytes) : compressed(bytes),
  crc: crc32(bytes),
  length: bytes.length,
  shift: shiftOf(bytes.length)
})

/** The gzip of one answer: what it begins with, notes the parts that it has, and what it ends with. */
export const makeGzip = () => {
  let crc = 0
  let length = 0
  return {
    header,
    add: (part: GzipPart): Uint8Array => {
      crc = product(crc, part.shift) ^ part.crc
      // Both are what remains of 32 bits.
      length = (length + part.length) >>> 0
      return part.bytes
    },
    end: (): Uint8Array => {
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc >>> 0, 0)
      trailer.writeUInt32LE(length, 4)
      return Buffer.concat([lastBlock, trailer])
    }
  } as const
}
