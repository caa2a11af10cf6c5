import { Writable } from "node:stream"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Logger } from "effect"
import { RequestLog } from "../../src/http/pipeline/RequestLog.ts"
import { backlogLimit, requestText, writeLines } from "../../src/layers/process/Telemetry.ts"

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

it.effect("writes the line of a request as the loggers do", () =>
  Effect.gen(function* () {
    const line = {
      method: "GET",
      path: '/api/threads/"née"\\\u2028',
      status: 200,
      ms: 1.25,
      operation: "ThreadGet",
      account: "guest",
      trace_id: "0af7651916cd43dd8448eb211c80319c"
    }
    const written: Array<string> = []
    const collector = Logger.map(Logger.formatJson, (text) => {
      written.push(text)
    })
    const log = yield* RequestLog
    yield* log(line).pipe(Effect.provide(Logger.layer([collector])))
    const now = yield* Clock.currentTimeMillis
    const fiberId = yield* Effect.withFiber((fiber) => Effect.succeed(fiber.id))
    assert.deepStrictEqual(written, [requestText(line, now, fiberId)])
  })
)
