/** The size of an image as its header says, read while the image passes by. Nothing is decoded. */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The size of a file that is not an image, or whose format is unknown. */
export const noSize: ImageSize = { width: 0, height: 0 }

// What formats allow at most, and what the database holds.
const largest = 2 ** 31 - 1

const sizeOf = (width: number, height: number): ImageSize =>
  width >= 1 && height >= 1 && width <= largest && height <= largest ? { width, height } : noSize

const text = (bytes: Uint8Array, start: number, end: number) =>
  String.fromCharCode(...bytes.subarray(start, end))

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const pngSize = (bytes: Uint8Array): ImageSize => {
  if (bytes.length < 24 || text(bytes, 0, 8) !== "\x89PNG\r\n\x1a\n" || text(bytes, 12, 16) !== "IHDR") {
    return noSize
  }
  const view = viewOf(bytes)
  return sizeOf(view.getUint32(16), view.getUint32(20))
}

const gifSize = (bytes: Uint8Array): ImageSize => {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(text(bytes, 0, 6))) return noSize
  const view = viewOf(bytes)
  return sizeOf(view.getUint16(6, true), view.getUint16(8, true))
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000

/** The three kinds of first chunks: lossy, lossless, and a header of its own. */
const webpSize = (bytes: Uint8Array): ImageSize => {
  if (bytes.length < 30 || text(bytes, 0, 4) !== "RIFF" || text(bytes, 8, 12) !== "WEBP") return noSize
  const view = viewOf(bytes)
  const kind = text(bytes, 12, 16)
  if (kind === "VP8X") return sizeOf(1 + uint24(view, 24), 1 + uint24(view, 27))
  if (kind === "VP8 " && text(bytes, 23, 26) === "\x9d\x01\x2a") {
    return sizeOf(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
  }
  if (kind === "VP8L" && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true)
    return sizeOf(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff))
  }
  return noSize
}

// Enough for all headers but those of JPEG, whose size may come after megabytes of metadata.
const headLength = 30

const [fill, startOfImage, endOfImage, startOfScan, temporary] = [0xff, 0xd8, 0xd9, 0xda, 0x01]

/** Whether a marker begins a frame: C0 to CF do, except for the three that define tables. */
const beginsFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const isAlone = (marker: number) => marker === temporary || (marker >= 0xd0 && marker <= startOfImage)

/** Follows the segments of a JPEG image until one tells the size. */
class JpegReader {
  size = noSize
  private isDone = false
  /** Bytes of the current segment that do not matter. */
  private skipped = 0
  private segment: Array<number> = []

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isDone; ) {
      const step = Math.min(this.skipped, bytes.length - at)
      this.skipped -= step
      at += step
      const byte = bytes[at]
      if (byte === undefined) return
      at++
      this.segment.push(byte)
      this.read()
    }
  }

  private end(size = noSize) {
    this.size = size
    this.isDone = true
  }

  /** Looks at the beginning of a segment, one byte more each time. */
  private read() {
    const [first, marker, high, low] = this.segment
    if (first !== fill || marker === 0) return this.end()
    if (marker === undefined) return
    if (marker === fill) return void this.segment.pop()
    if (isAlone(marker)) return this.begin(0)
    if (marker === endOfImage || marker === startOfScan) return this.end()
    if (high === undefined || low === undefined) return
    const length = high * 256 + low
    if (length < 2) return this.end()
    if (!beginsFrame(marker)) return this.begin(length - 2)
    if (this.segment.length < 9) return
    const [, , , , , h1 = 0, h0 = 0, w1 = 0, w0 = 0] = this.segment
    this.end(sizeOf(w1 * 256 + w0, h1 * 256 + h0))
  }

  private begin(skipped: number) {
    this.segment = []
    this.skipped = skipped
  }
}

export interface ImageSizeReader {
  /** Takes the next part of the file, from its beginning. */
  readonly add: (bytes: Uint8Array) => void
  readonly size: () => ImageSize
}

export const makeImageSizeReader = (): ImageSizeReader => {
  const head = new Uint8Array(headLength)
  const jpeg = new JpegReader()
  let known = 0
  return {
    add: (bytes) => {
      if (known < headLength) {
        const part = bytes.subarray(0, headLength - known)
        head.set(part, known)
        known += part.length
      }
      jpeg.add(bytes)
    },
    size: () => {
      const start = head.subarray(0, known)
      for (const size of [pngSize(start), gifSize(start), webpSize(start), jpeg.size]) {
        if (size !== noSize) return size
      }
      return noSize
    }
  }
}
