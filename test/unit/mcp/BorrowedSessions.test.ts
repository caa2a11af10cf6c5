import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { makeBorrowing } from "../../../src/http/mcp/BorrowedSessions.ts"

const sessionHeader = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

/** A server that gives sessions, and knows which are in use. Messages in them wait for `open`. */
const makeServer = () => {
  const alive = new Map<string, string>()
  const used = new Set<string>()
  const open = Deferred.makeUnsafe<void>()
  let begun = 0

  const begin = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { params } = JSON.parse(yield* Effect.orDie(request.text))
    const id = `session-${begun++}`
    alive.set(id, params.protocolVersion)
    return HttpServerResponse.empty({
      headers: { [sessionHeader]: id, [versionHeader]: params.protocolVersion }
    })
  })

  const answer = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const session = request.headers[sessionHeader]
    if (session === undefined) return yield* begin(request)
    assert.isTrue(alive.has(session), session)
    if (request.method === "DELETE") {
      assert.isFalse(used.has(session))
      alive.delete(session)
      return HttpServerResponse.empty({ status: 204 })
    }
    assert.isFalse(used.has(session), "Two messages have a session at the same time")
    assert.strictEqual(alive.get(session), request.headers[versionHeader] ?? "2025-06-18")
    used.add(session)
    yield* Deferred.await(open)
    used.delete(session)
    return HttpServerResponse.empty({ status: 202 })
  })

  return { answer, alive, begun: () => begun, open: Deferred.succeed(open, undefined) }
}

const message = (version: string | undefined, method = "ping", params: object = {}) =>
  HttpServerRequest.fromWeb(
    new Request("http://forum.test/mcp", {
      method: "POST",
      headers: version === undefined ? {} : { [versionHeader]: version },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
  )

const versions = ["2025-06-18", "2025-11-25", undefined]

describe("sessions of agents", () => {
  it.effect("are borrowed by one message at a time, and sixteen of each version are kept", () =>
    Effect.gen(function* () {
      const { alive, answer, begun, open } = makeServer()
      const borrowing = makeBorrowing(answer)
      const messages = Array.from({ length: 60 }, (_, n) => message(versions[n % 3]))
      const answering = yield* Effect.forkChild(
        Effect.forEach(messages, (one) => borrowing(one, false), { concurrency: "unbounded" })
      )
      while (begun() < 60) yield* Effect.yieldNow
      yield* open
      const answers = yield* Fiber.join(answering)
      assert.isTrue(answers.every(({ status }) => status === 202))
      // Two thirds are of the version that clients speak who do not say it.
      assert.strictEqual(alive.size, 32)
      yield* Effect.forEach(messages, (one) => borrowing(one, false))
      assert.strictEqual(begun(), 60)
    })
  )

  it.effect("begin for no client, and are kept as others when one would", () =>
    Effect.gen(function* () {
      const { alive, answer, begun, open } = makeServer()
      const borrowing = makeBorrowing(answer)
      yield* open
      for (let n = 0; n < 20; n++) {
        const params = { protocolVersion: "2025-11-25" }
        const answered = yield* borrowing(message(undefined, "initialize", params), true)
        assert.notProperty(answered.headers, sessionHeader)
      }
      assert.deepStrictEqual([begun(), alive.size], [20, 16])
      yield* borrowing(message("2025-11-25"), false)
      assert.strictEqual(begun(), 20)
    })
  )
})
