import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  failureFrame,
  nestedFrame,
  readFrame,
  requestFrame,
  resultFrame
} from "../../../src/domain/plugin/PluginRpc.ts"

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

  it("is read as something, whatever is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        assert.include(["Request", "Result", "Failure", "Unreadable"], readFrame(text)._tag)
      })
    )
  })

  it("is read as it was written", () => {
    fc.assert(
      fc.property(
        fc.string(),
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
