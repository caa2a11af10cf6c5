/**
 * The end of a backup: a frame that `zstd` passes over, with how long the archive is when it is unpacked and the SHA-256
 * of all that is before. Whatever is cut off or changed, one of them is wrong.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { damaged } from "../shared/Tar.ts"

const skippableFrame = 0x184d2a5e
const hashLength = 32
const lengthLength = 8
const frameHeader = 8
export const sealLength = frameHeader + lengthLength + hashLength

const beginningOf = (unpacked: number) => {
  const bytes = Buffer.alloc(frameHeader + lengthLength)
  bytes.writeUInt32LE(skippableFrame, 0)
  bytes.writeUInt32LE(lengthLength + hashLength, 4)
  bytes.writeBigUInt64LE(BigInt(unpacked), frameHeader)
  return bytes
}

/** Hashes what passes; `seal` answers the end of the file. */
export const makeSealing = () => {
  const hash = createHash("sha256")
  let length = 0
  return {
    length: () => length,
    pass: (bytes: Uint8Array) => {
      length += bytes.length
      hash.update(bytes)
    },
    seal: (unpacked: number): Buffer => {
      const beginning = beginningOf(unpacked)
      return Buffer.concat([beginning, hash.update(beginning).digest()])
    }
  } as const
}

export interface Seal {
  /** How long the compressed archive is. */
  readonly length: number
  /** How long the archive is. */
  readonly unpacked: number
  /** The end of the file. */
  readonly bytes: Buffer
}

/** The end of a file, if that is the end of a backup. */
export const readSeal = async (file: FileHandle): Promise<Seal> => {
  const { size } = await file.stat()
  const length = size - sealLength
  if (length <= 0) throw damaged("it is too short")
  const bytes = Buffer.alloc(sealLength)
  const { bytesRead } = await file.read(bytes, 0, sealLength, length)
  const unpacked = bytes.readBigUInt64LE(frameHeader)
  const isSeal =
    bytesRead === sealLength &&
    unpacked <= BigInt(Number.MAX_SAFE_INTEGER) &&
    bytes.subarray(0, frameHeader + lengthLength).equals(beginningOf(Number(unpacked)))
  if (!isSeal) throw damaged("its end is missing")
  return { length, unpacked: Number(unpacked), bytes }
}

/** Fails unless what has passed is what the end of the file says. */
export const checkSeal = ({ bytes, length, unpacked }: Seal, sealing: ReturnType<typeof makeSealing>) => {
  if (sealing.length() !== length || !timingSafeEqual(sealing.seal(unpacked), bytes))
    throw damaged("its checksum is another one")
}
