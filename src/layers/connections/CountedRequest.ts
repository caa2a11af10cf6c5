import { IncomingMessage } from "node:http"

/** A request that says how much of its body has arrived. */
export abstract class CountedRequest extends IncomingMessage {
  bodyBytes = 0
  /** How much of it is out of memory already, because the application has written it elsewhere. */
  passedOn = 0

  /** Called after each part of the body. */
  protected abstract bodyArrived(): void

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const takesMore = super.push(chunk, encoding)
    if (chunk instanceof Uint8Array) {
      this.bodyBytes += chunk.length
      this.bodyArrived()
    }
    return takesMore
  }
}
