import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hasMoreValuesThan, isDeeperThan } from "../../../src/http/pipeline/JsonMarks.ts"

const backslashes = fc.string({ unit: fc.constantFrom("\\", '"', "[", "]", "{", "}", ",", "a", "ж") })

/** JSON with strings and names that look like marks, quotes and escapes. */
const values = fc.jsonValue({ stringUnit: "binary" }).chain((value) =>
  fc.dictionary(backslashes, fc.oneof(backslashes, fc.constant(value), fc.array(backslashes)), {
    minKeys: 1
  })
)

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const commasOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const parts = Object.values(value)
  return Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + commasOf(part), 0)
}

describe("JSON that has not been parsed", () => {
  it("is as deep as it is once parsed", () => {
    fc.assert(
      fc.property(values, (value) => {
        const depth = depthOf(value)
        expect(isDeeperThan(depth, JSON.stringify(value))).toBe(false)
        expect(isDeeperThan(depth - 1, JSON.stringify(value))).toBe(true)
      })
    )
  })

  it("has as many values as it has once parsed", () => {
    fc.assert(
      fc.property(values, (value) => {
        const most = 1 + commasOf(value)
        expect(hasMoreValuesThan(most, JSON.stringify(value))).toBe(false)
        if (most > 1) expect(hasMoreValuesThan(most - 1, JSON.stringify(value))).toBe(true)
      })
    )
  })

  it.each(['"', '"\\', '"\\"', '["\\\\\\"[[[', '"[[['])("ends within a string: %s", (text) => {
    expect(isDeeperThan(1, text)).toBe(false)
  })
})
