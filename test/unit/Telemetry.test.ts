import { Writable } from "node:stream"
import { assert, it } from "@effect/vitest"
import { backlogLimit, writeLines } from "../../src/layers/Telemetry.ts"

it("drops log lines while the reader is too far behind, and writes again when it has caught up", () => {
  let received = ""
  let resume = () => {}
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      received += chunk
      resume = done
    }
  })
  const mebibyte = "x".repeat(1024 * 1024)
  writeLines(stream, ["first", "second"])
  assert.strictEqual(received, "first\nsecond\n")
  for (let written = 0; written < 100; written++) writeLines(stream, [mebibyte])
  assert.isAtMost(stream.writableLength, backlogLimit + 2 * mebibyte.length)
  assert.isAtLeast(stream.writableLength, backlogLimit)
  while (stream.writableLength > 0) resume()
  writeLines(stream, ["last"])
  assert.isTrue(received.endsWith("\nlast\n"))
})
