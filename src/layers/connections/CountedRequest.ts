import { IncomingMessage } from "node:http"

// How many bytes of a larger body the application gets at once, at least.
const partBytes = 16 * 1024

const parts = {
  /** How many parts any body may have, however small they are. */
  free: 4096,
  /** A body may have one more part for each of so many bytes. */
  bytes: 64
}

/**
 * A request that says how much of its body has arrived. Clients decide how large the parts of a body are, and each
 * costs some hundred bytes beside its own: so small ones are gathered before the application gets them.
 */
export abstract class CountedRequest extends IncomingMessage {
  bodyBytes = 0
  /** How many bytes of the body are out of memory already, because the application has written them elsewhere. */
  passedOn = 0
  /** How many bytes the connection had received when nobody wanted the rest of the body any more. */
  unwantedFrom: number | undefined
  private bodyParts = 0
  private gathered: Uint8Array | undefined
  private gatheredBytes = 0

  /** Called for each part of the body. Answers whether the part is to be kept. */
  protected abstract bodyArrived(): boolean

  /** Whether the body has arrived in more parts than a body of its size may: each takes time as well. */
  hasTooManyParts(): boolean {
    return this.bodyParts > parts.free + this.bodyBytes / parts.bytes
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (!(chunk instanceof Uint8Array)) {
      this.passGathered()
      return super.push(chunk, encoding)
    }
    this.bodyBytes += chunk.length
    this.bodyParts++
    if (!this.bodyArrived()) {
      this.gathered = undefined
      this.gatheredBytes = 0
      return true
    }
    return this.gather(chunk)
  }

  /** Keeps a chunk until there is enough for a part. Answers whether the application may get more. */
  private gather(chunk: Uint8Array): boolean {
    if (this.gatheredBytes + chunk.length > partBytes) this.passGathered()
    if (chunk.length >= partBytes) return super.push(chunk)
    const together = this.gatheredBytes + chunk.length
    // Most bodies arrive in one part, which needs no copy.
    this.gathered = this.gathered === undefined ? chunk : joined(this.gathered, this.gatheredBytes, chunk)
    this.gatheredBytes = together
    return this.readableLength < this.readableHighWaterMark
  }

  private passGathered(): void {
    const part = this.gathered?.subarray(0, this.gatheredBytes)
    this.gathered = undefined
    this.gatheredBytes = 0
    if (part !== undefined) super.push(part)
  }
}

/** Writes a chunk behind what is used of a buffer, in a larger one if need be. */
const joined = (buffer: Uint8Array, used: number, chunk: Uint8Array): Uint8Array => {
  const needed = used + chunk.length
  const room =
    needed <= buffer.length
      ? buffer
      : Buffer.allocUnsafe(Math.min(partBytes, Math.max(needed, 2 * used, 512)))
  if (room !== buffer) room.set(buffer.subarray(0, used))
  room.set(chunk, used)
  return room
}
