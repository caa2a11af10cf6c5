import { assert, describe, it } from "@effect/vitest"
import { findRefusal, listedIn } from "../../src/domain/theme/ThemeRules.ts"

const mebibyte = 1024 * 1024

describe("a file of a theme", () => {
  it.each([
    ["stylesheets", "text/css", 1, undefined],
    ["stylesheets", "text/css", mebibyte, undefined],
    ["stylesheets", "text/css", mebibyte + 1, "too_large"],
    ["stylesheets", "text/css", 0, "empty"],
    ["stylesheets", "text/javascript", 1, "type"],
    ["stylesheets", "text/plain; charset=utf-8", 1, "type"],
    ["stylesheets", "image/svg+xml", 0, "type"],
    ["scripts", "text/javascript", 1, undefined],
    ["scripts", "text/javascript", mebibyte + 1, "too_large"],
    ["scripts", "text/css", 1, "type"],
    ["scripts", "application/json", 1, "type"]
  ] as const)(
    "among the %s, of the type %s and with %i bytes, is refused: %s",
    (list, mimeType, size, refusal) => {
      assert.strictEqual(findRefusal(list, { mimeType, size }), refusal)
    }
  )

  it("counts once in each list, in its first place", () => {
    assert.deepStrictEqual(listedIn({ stylesheets: ["b", "a", "b"], scripts: ["c", "a", "c", "c"] }), [
      { list: "stylesheets", id: "b" },
      { list: "stylesheets", id: "a" },
      { list: "scripts", id: "c" },
      { list: "scripts", id: "a" }
    ])
    assert.deepStrictEqual(listedIn({ stylesheets: [], scripts: [] }), [])
  })
})
