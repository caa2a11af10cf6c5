import { assert, describe, it } from "@effect/vitest"
import { makeLineCutter } from "../../../src/domain/plugin/LogLines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const cut = (parts: ReadonlyArray<string>, lineBytes?: number) => {
  const cutter = makeLineCutter(lineBytes)
  return [...parts.flatMap((part) => [...cutter.read(bytes(part))]), ...cutter.rest()]
}

describe("lines of an output", () => {
  for (const [what, parts, lines] of [
    ["nothing", [], []],
    ["one line", ["a\n"], ["a"]],
    ["a line without an end", ["a\nb"], ["a", "b"]],
    ["a line in parts", ["a", "b", "c\n", "d"], ["abc", "d"]],
    ["empty lines", ["\n\na\n\n"], ["", "", "a", ""]],
    ["both line breaks", ["a\r\nb\r\n"], ["a", "b"]],
    ["a line break in two parts", ["a\r", "\nb\n"], ["a", "b"]],
    ["a carriage return alone, which would end a field of an event stream", ["a\rb\n"], ["a", "b"]],
    ["two returns", ["a\r\rb\n"], ["a", "", "b"]],
    ["letters of several bytes", ["grüße 🎉\n"], ["grüße 🎉"]]
  ] as const)
    it(`reads ${what}`, () => assert.deepStrictEqual(cut(parts), [...lines]))

  it("cuts a long line, says how much it left out, and reads on", () => {
    assert.deepStrictEqual(cut(["abcdefgh\nij\n"], 4), ["abcd [4 bytes more]", "ij"])
    assert.deepStrictEqual(cut(["ab", "cd", "ef", "gh"], 4), ["abcd [4 bytes more]"])
    assert.deepStrictEqual(cut(["abcd\n"], 4), ["abcd"])
  })

  it("has a bound by itself", () => {
    const [line] = cut(["x".repeat(100_000)])
    assert.strictEqual(line, `${"x".repeat(16 * 1024)} [${100_000 - 16 * 1024} bytes more]`)
  })

  it("keeps what it holds of a part when the buffer of the part is used again", () => {
    const cutter = makeLineCutter()
    const buffer = Buffer.from("ab")
    assert.deepStrictEqual(cutter.read(buffer), [])
    buffer.fill("x")
    assert.deepStrictEqual(cutter.rest(), ["ab"])
  })
})
