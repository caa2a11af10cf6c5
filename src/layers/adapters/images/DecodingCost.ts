/** Recognises images that would take a decoder far more time or memory than their size shows. */
import { createReadStream } from "node:fs"
import { pixelsMax } from "../../../domain/asset/Thumbnailer.ts"

/** Passes over the image that a progressive JPEG may have: encoders write about ten, and each is decoded like an image. */
export const scansMax = 100

/** Bytes of the decoded image of which all have to be in memory at the same time: four for each pixel of the largest one. */
export const bytesMax = 4 * pixelsMax

/** Marker of the start of a scan (ITU-T T.81, B.1.1.3). It does not occur within the data of a scan. */
const startOfScan = Buffer.from([0xff, 0xda])

/** How many scans a JPEG file has, counted no further than what is too many. */
export const countScans = async (path: string): Promise<number> => {
  let scans = 0
  let last = Buffer.alloc(0)
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    // A marker may stand across two parts.
    const text = Buffer.concat([last, part])
    for (let at = text.indexOf(startOfScan); at !== -1; at = text.indexOf(startOfScan, at + 2)) scans += 1
    if (scans > scansMax) return scans
    last = text.subarray(-1)
  }
  return scans
}

export interface Declared {
  readonly format: string
  readonly width: number
  readonly height: number
  readonly channels: number
  /** How many bytes one channel of one pixel takes. */
  readonly bytes: number
  /** Whether rows are spread over the file, so that they cannot be decoded one after the other. */
  readonly isProgressive: boolean
}

/** Bytes that the decoder needs at once by what the file declares; rows that come in order take next to nothing. */
export const heldBytes = ({ bytes, channels, height, isProgressive, width }: Declared): number =>
  isProgressive ? width * height * channels * bytes : 0
