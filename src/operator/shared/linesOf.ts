import { StringDecoder } from "node:string_decoder"

/** The lines of a stream of text in UTF-8, without their ends. */
export const linesOf = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}
