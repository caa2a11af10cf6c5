import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TagNames, tagColour } from "../../../src/domain/vocabulary/Tag.ts"

const takes = Schema.is(TagNames)

describe("tagColour", () => {
  it("is a colour that never changes", () => {
    expect(["", "a", "effect", "бабочки"].map(tagColour)).toEqual([
      "#d7d897",
      "#d897ad",
      "#d897ad",
      "#d897b9"
    ])
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        expect(tagColour(name)).toMatch(/^#[0-9a-f]{6}$/)
        expect(tagColour(name)).toBe(tagColour(name))
      })
    )
  })

  it("differs between most names", () => {
    const colours = new Set(Array.from({ length: 200 }, (_, n) => tagColour(`tag-${n}`)))
    expect(colours.size).toBeGreaterThan(100)
  })
})

describe("TagNames", () => {
  it.each([
    [[], true],
    [["x".repeat(30)], true],
    [["x".repeat(31)], false],
    [["𐍈".repeat(30)], true],
    [["𐍈".repeat(31)], false],
    // One character that normalises to 18 characters.
    [["\ufdfa"], true],
    [["\ufdfa".repeat(2)], false],
    [Array.from({ length: 50 }, () => "x"), true],
    [Array.from({ length: 51 }, () => "x"), false]
  ])("case %#", (names, expected) => {
    expect(takes(names)).toBe(expected)
  })
})
