import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  batchOf,
  failureFrame,
  idMax,
  nestedFrame,
  readFrames,
  requestFrame,
  resultFrame,
  valuesMax
} from "../../../src/domain/plugin/PluginRpc.ts"

const readFrame = (text: string) => {
  const { frames } = readFrames(text)
  assert.lengthOf(frames, 1)
  return frames[0] ?? assert.fail("nothing is read")
}

describe("a frame", () => {
  const cases = [
    [
      '{"jsonrpc":"2.0","id":"a","method":"ping"}',
      { _tag: "Request", id: "a", method: "ping", params: undefined }
    ],
    [
      '{"id":7,"method":"ping","params":{"x":1}}',
      { _tag: "Request", id: 7, method: "ping", params: { x: 1 } }
    ],
    ['{"method":"ping","result":{}}', { _tag: "Request", id: undefined, method: "ping", params: undefined }],
    ['{"method":"ping","id":{}}', { _tag: "Request", id: undefined, method: "ping", params: undefined }],
    ['{"id":"a","result":{"ok":true}}', { _tag: "Result", id: "a", result: { ok: true } }],
    ['{"id":"a","result":{"ok":true},"error":null}', { _tag: "Result", id: "a", result: { ok: true } }],
    ['{"id":"a"}', { _tag: "Result", id: "a", result: undefined }],
    [
      '{"id":"a","error":{"code":-1,"message":"no"}}',
      { _tag: "Failure", id: "a", failure: { code: -1, message: "no" } }
    ],
    ['{"id":"a","error":"no"}', { _tag: "Failure", id: "a", failure: { code: -32000, message: "" } }],
    ['{"id":"a","error":{}}', { _tag: "Failure", id: "a", failure: { code: -32000, message: "" } }],
    ['{"result":{}}', { _tag: "Unreadable" }],
    ["[]", { _tag: "Unreadable" }],
    ["null", { _tag: "Unreadable" }],
    ["7", { _tag: "Unreadable" }],
    ["{", { _tag: "Unreadable" }],
    ["", { _tag: "Unreadable" }]
  ] as const
  for (const [text, frame] of cases) {
    it(`is read: ${text}`, () => {
      assert.deepStrictEqual(readFrame(text), frame)
    })
  }

  it("has an id that is not too long, or is a request that is refused", () => {
    const id = "i".repeat(idMax)
    assert.deepInclude(readFrame(requestFrame(id, "ping", {})), { _tag: "Request", id })
    assert.deepStrictEqual(readFrame(requestFrame(`${id}i`, "ping", {})), {
      _tag: "Refused",
      failure: { code: -32600, message: "An id has 256 characters at most" }
    })
    assert.deepInclude(readFrame(resultFrame(id, "event", { ok: true })), { _tag: "Result", id })
    assert.deepStrictEqual(readFrame(resultFrame(`${id}i`, "event", {})), { _tag: "Unreadable" })
    assert.deepStrictEqual(JSON.parse(failureFrame(null, { code: -1, message: "" })).id, null)
  })

  it("has no more values than may be read at a time, whatever its texts are", () => {
    const frameWith = (params: unknown) => readFrame(JSON.stringify({ id: "a", method: "ping", params }))._tag
    // One for the object, two for each of its members but for the first comma, and one for the array before its commas.
    const rest = valuesMax - 6
    assert.strictEqual(frameWith(Array(rest).fill(1)), "Request")
    assert.strictEqual(frameWith(Array(rest + 1).fill(1)), "Unreadable")
    assert.strictEqual(frameWith(Array(rest).fill([])), "Unreadable")
    assert.strictEqual(readFrame("[".repeat(4 * 1024 * 1024))._tag, "Unreadable")
    const marks = '[{,:"\\'.repeat(valuesMax)
    assert.strictEqual(frameWith(marks), "Request")
    assert.strictEqual(frameWith([marks, Array(rest).fill(1)]), "Unreadable")
  })

  it("tells of a failure in words that can be stored, and with a number", () => {
    const read = (error: string) => readFrame(`{"id":"a","error":${error}}`)
    const failure = (code: number, message: string) => ({
      _tag: "Failure" as const,
      id: "a",
      failure: { code, message }
    })
    for (const code of ["1e400", "0.5", "9007199254740992", '"1"'])
      assert.deepStrictEqual(read(`{"code":${code},"message":"no"}`), failure(-32000, "no"))
    assert.deepStrictEqual(
      read('{"code":7,"message":"a\\u0000b\\ud83dc"}'),
      failure(7, "a\u{fffd}b\u{fffd}c")
    )
    // The last character is of two units, of which one is beyond the end.
    const long = `${"x".repeat(499)}\u{1f600}`
    assert.deepStrictEqual(
      read(JSON.stringify({ code: 7, message: long })),
      failure(7, `${"x".repeat(499)}\u{fffd}`)
    )
  })

  it("is read as something, whatever is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const { frames } = readFrames(text)
        assert.isNotEmpty(frames)
        for (const { _tag } of frames)
          assert.include(["Request", "Result", "Failure", "Refused", "Unreadable"], _tag)
      })
    )
  })

  it("is read as it was written", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: idMax }),
        fc.string(),
        fc.dictionary(fc.string(), fc.integer()),
        (id, method, params) => {
          assert.deepStrictEqual(readFrame(requestFrame(id, method, params)), {
            _tag: "Request",
            id,
            method,
            params: JSON.parse(JSON.stringify(params))
          })
        }
      )
    )
  })

  it("names the method that it answers, and may be in a frame itself", () => {
    assert.deepStrictEqual(JSON.parse(resultFrame("a", "ping", { pong: true })), {
      jsonrpc: "2.0",
      id: "a",
      result: { method: "ping", pong: true }
    })
    const error = { code: -32603, message: "no" }
    assert.deepStrictEqual(JSON.parse(failureFrame(7, error)), { jsonrpc: "2.0", id: 7, error })
    assert.deepStrictEqual(JSON.parse(nestedFrame("a", "access_get", { error })), {
      jsonrpc: "2.0",
      id: "a",
      result: { jsonrpc: "2.0", id: "a", method: "access_get", error }
    })
  })
})

describe("a batch", () => {
  const ping = '{"id":"a","method":"ping"}'

  it("has frames in their order, also where one of them is none", () => {
    const { frames, isBatch } = readFrames(batchOf([ping, '{"id":1,"result":{}}', "7", `[${ping}]`]))
    assert.isTrue(isBatch)
    assert.deepStrictEqual(
      frames.map(({ _tag }) => _tag),
      ["Request", "Result", "Unreadable", "Unreadable"]
    )
    assert.isTrue(readFrames(batchOf([ping])).isBatch)
    assert.isFalse(readFrames(ping).isBatch)
  })

  it("of nothing is unreadable", () => {
    assert.deepStrictEqual(readFrames("[]"), { isBatch: true, frames: [{ _tag: "Unreadable" }] })
  })

  it("has no more values than one frame may have", () => {
    const many = (count: number) => readFrames(batchOf(Array(count).fill('{"id":1,"method":"m"}')))
    // One for what is before a member, and four inside of it.
    assert.lengthOf(many(valuesMax / 5).frames, valuesMax / 5)
    assert.lengthOf(many(valuesMax / 5 + 1).frames, 1)
    assert.deepStrictEqual(many(valuesMax).frames, [{ _tag: "Unreadable" }])
  })
})
