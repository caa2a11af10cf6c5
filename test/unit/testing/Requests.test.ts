import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { OutboundRequest } from "../../../src/domain/outbound/Outbound.ts"
import { makeGate } from "../../../src/testing/Gate.ts"
import { type GivenAnswer, makeRequests } from "../../../src/testing/Requests.ts"

const asked: OutboundRequest = {
  url: "https://a.example/b",
  accept: "text/html",
  maxBytes: 4,
  beyond: "cut",
  redirects: 0,
  within: "1 second"
}

const answered = (request: OutboundRequest, given: GivenAnswer) => {
  const { answer, outbound } = makeRequests({ current: {} }, makeGate())
  return Effect.andThen(answer("https://a.example/", given), outbound.send(request))
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe("requests of a forum of a test", () => {
  it("are answered by what kind of body there is", () =>
    Effect.gen(function* () {
      const request = { ...asked, maxBytes: 100 }
      const typeOf = (given: GivenAnswer) =>
        Effect.map(answered(request, given), ({ body, headers, status }) => [
          status,
          headers["content-type"],
          textOf(body)
        ])
      assert.deepStrictEqual(yield* typeOf({ body: "a" }), [200, "text/html; charset=utf-8", "a"])
      assert.deepStrictEqual(yield* typeOf({ body: { a: 1 } }), [200, "application/json", '{"a":1}'])
      assert.deepStrictEqual(yield* typeOf({ body: Uint8Array.of(97) }), [
        200,
        "application/octet-stream",
        "a"
      ])
      assert.deepStrictEqual(yield* typeOf({ status: 404, headers: { "content-type": "text/plain" } }), [
        404,
        "text/plain",
        ""
      ])
    }).pipe(Effect.runPromise))

  it("get no more than they take", () =>
    Effect.gen(function* () {
      const cut = yield* answered(asked, { body: "12345" })
      assert.strictEqual(textOf(cut.body), "1234")
      const failing: OutboundRequest = { ...asked, beyond: "failure" }
      assert.strictEqual(textOf((yield* answered(failing, { body: "1234" })).body), "1234")
      const failed = yield* Effect.flip(answered(failing, { body: "12345" }))
      assert.deepInclude({ ...failed }, { _tag: "OutboundFailed", reason: "size" })
    }).pipe(Effect.runPromise))

  it("are kept as they were, up to ten thousand", () =>
    Effect.gen(function* () {
      const { outbound, requests } = makeRequests({ current: {} }, makeGate())
      const failed = yield* Effect.flip(outbound.send({ ...asked, headers: { authorization: "Bearer a" } }))
      assert.deepInclude({ ...failed }, { _tag: "OutboundFailed", reason: "connection" })
      const body = { contentType: "text/plain", bytes: new TextEncoder().encode("a") }
      yield* Effect.ignore(outbound.send({ ...asked, body }))
      assert.deepStrictEqual(yield* requests(), [
        {
          method: "GET",
          url: asked.url,
          headers: { accept: "text/html", authorization: "Bearer a" },
          body: ""
        },
        {
          method: "POST",
          url: asked.url,
          headers: { accept: "text/html", "content-type": "text/plain" },
          body: "a"
        }
      ])
      for (let n = 0; n < 9_999; n++)
        yield* Effect.ignore(outbound.send({ ...asked, url: `${asked.url}${n}` }))
      const kept = yield* requests()
      assert.lengthOf(kept, 10_000)
      assert.strictEqual(kept[0]?.method, "POST")
    }).pipe(Effect.runPromise))
})
