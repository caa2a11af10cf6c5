/** What can be said of a file once all of it has passed by. */
import { Effect } from "effect"
import { contentTypeOf, headLength } from "./ContentType.ts"
import { type ImageSize, makeImageSizeReader, noSize } from "./ImageSize.ts"
import { makeTextCheck } from "./TextCheck.ts"

export interface Inspected extends ImageSize {
  /** The bytes that arrived, whatever size was announced. */
  readonly size: number
  readonly mimeType: string
}

export interface Inspection {
  /** Takes the next part of the file, from its beginning. It keeps the first bytes only. */
  readonly add: (bytes: Uint8Array) => void
  /** What the file is, if its name ends in this. */
  readonly finish: (extension: string) => Effect.Effect<Inspected>
}

/** Formats whose size is read, and of which there are thumbnails. */
export const rasterTypes: ReadonlySet<string> = new Set([
  "image/apng",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp"
])

export const makeInspection = (): Inspection => {
  const image = makeImageSizeReader()
  const text = makeTextCheck()
  const head = new Uint8Array(headLength)
  let size = 0
  return {
    add: (bytes) => {
      if (size < headLength) head.set(bytes.subarray(0, headLength - size), size)
      size += bytes.length
      image.add(bytes)
      text.add(bytes)
    },
    finish: (extension) => {
      const seen = { head: head.subarray(0, size), isText: text.isText(), extension }
      return Effect.map(contentTypeOf(seen), (mimeType) => ({
        size,
        mimeType,
        ...(rasterTypes.has(mimeType) ? image.size() : noSize)
      }))
    }
  }
}
