import { Context } from "effect"

/**
 * What an operation that takes a body or gives an answer in parts tells the server about it. Both are named by the
 * request of the platform.
 */
export const BodyProgress = Context.Reference<{
  /** A part has been written elsewhere, so that it does not count as memory any more. */
  readonly passedOn: (source: object, bytes: number) => void
  /** The rest arrives more slowly than others can wait: the request is answered so, and its connection closed. */
  readonly endSlow: (source: object) => void
  /**
   * Writes a part of an answer that has begun, without waiting for its reader. Answers how many bytes wait for the reader
   * since before.
   */
  readonly write: (source: object, bytes: Uint8Array) => number
  /** More waits for who reads the answer than may: the connection is closed. */
  readonly endReader: (source: object) => void
}>("forum/http/BodyProgress", {
  defaultValue: () => ({ passedOn: () => {}, endSlow: () => {}, endReader: () => {}, write: () => 0 })
})
