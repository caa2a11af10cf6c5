/** Reads archives of `tar`, whoever made them. */
import { Readable } from "node:stream"
import { extract } from "tar-stream"
import { OperatorFailure } from "../../OperatorFailure.ts"
import { refuse } from "./Bytes.ts"

export interface Entry {
  readonly name: string
  readonly type: "file" | "link" | "symlink" | "other"
  /** What a link leads to. */
  readonly target: string
  readonly bytes: AsyncIterable<Uint8Array>
}

const types = ["file", "link", "symlink"] as const

/** Whether bytes begin an archive. */
export const isTar = (beginning: Buffer): boolean => beginning.toString("latin1", 257, 262) === "ustar"

/** The entries of an archive, in their order. What is not read of one is passed over. */
export const entriesOf = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const reading = extract()
  const source = Readable.from(bytes, { objectMode: false })
  source.on("error", (error) => reading.destroy(error))
  source.pipe(reading)
  try {
    for await (const entry of reading) {
      const { linkname, name, type } = entry.header
      yield {
        name: name.replace(/^\.\//, ""),
        type: types.find((known) => known === type) ?? "other",
        target: linkname?.replace(/^\.\//, "") ?? "",
        bytes: entry
      }
      entry.resume()
    }
  } catch (error) {
    if (error instanceof OperatorFailure) throw error
    throw refuse(`The archive is not whole: ${error instanceof Error ? error.message : error}.`)
  } finally {
    source.destroy()
  }
}
