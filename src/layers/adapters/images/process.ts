/** A process that decodes images: what a decoder does cannot be stopped within one that serves requests. */
import { constants, setPriority } from "node:os"
import sharp from "sharp"
import { type Extent, pixelsMax } from "../../../domain/asset/Thumbnailer.ts"
import { type Answer, type Question, ready } from "./Decoding.ts"
import { bytesMax, countScans, heldBytes, scansMax } from "./DecodingCost.ts"

const quality = 80

/** Readers of the formats of which images are made. All others are closed, whatever a file says of itself. */
const readers = ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}File`)

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({ operation: readers })

// Requests go first.
setPriority(constants.priority.PRIORITY_LOW)

const options = { limitInputPixels: pixelsMax, sequentialRead: true }

const checkCost = async (path: string) => {
  const {
    channels,
    depth,
    format,
    height,
    isProgressive = false,
    width
  } = await sharp(path, options).metadata()
  const declared = { format, width, height, channels, bytes: depth === "ushort" ? 2 : 1, isProgressive }
  if (heldBytes(declared) > bytesMax) throw new Error("It would take too much memory")
  if (format === "jpeg" && isProgressive && (await countScans(path)) > scansMax) {
    throw new Error("It has too many scans")
  }
}

/** The image as people see it, without what its file says beside it. */
const read = (path: string) => sharp(path, options).autoOrient()

const shrink = (path: string, width: number): Promise<Uint8Array> =>
  read(path)
    .resize({ width, height: 4 * width, fit: "inside", withoutEnlargement: true })
    .webp({ quality })
    .toBuffer()

/** Makes an image of each size. The file is decoded once, to twice the largest size, from which all are made. */
const render = async (path: string, extents: ReadonlyArray<Extent>) => {
  const width = 2 * Math.max(...extents.map((extent) => extent.width))
  const height = 2 * Math.max(...extents.map((extent) => extent.height))
  const { data, info } = await read(path)
    .resize({ width, height, fit: "cover", withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const images: Array<Uint8Array> = []
  for (const extent of extents) {
    images.push(
      await sharp(data, { raw })
        .resize({ ...extent, fit: "cover" })
        .png()
        .toBuffer()
    )
  }
  return images
}

const answer = async (question: Question): Promise<Answer> => {
  try {
    await checkCost(question.path)
    const images =
      "extents" in question
        ? await render(question.path, question.extents)
        : [await shrink(question.path, question.width)]
    return { images }
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

process.on("message", async (question: Question) => {
  process.send?.(await answer(question))
})
// The service has ended.
process.on("disconnect", () => process.exit())
process.send?.(ready)
