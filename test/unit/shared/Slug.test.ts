import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSlug, slugify, slugWithin } from "../../../src/domain/shared/Slug.ts"

describe("slugify", () => {
  it.each([
    ["Hello World", "hello-world"],
    ["Бабочки", "бабочки"],
    [`it's a "test"`, "it-s-a-test"],
    ["  spaced   out  ", "spaced-out"],
    ["a--b---c", "a-b-c"],
    ["a-!-b", "a-b"],
    ["snake_case__x", "snake_case__x"],
    ["_-_trim-_-", "trim"],
    ["ﬁne ① Ｗｉｄｅ", "fine-1-wide"],
    ["cafe\u0301", "café"],
    ["हिन्दी", "हिन्दी"],
    ["日本語、テスト", "日本語-テスト"],
    ["שלום עולם", "שלום-עולם"],
    ["🦋🦋", ""],
    ["❤️", ""],
    ["\u3164", ""],
    ["a\u00adb\u200bc", "abc"],
    ["!!!", ""],
    ["", ""]
  ])("makes %j into %j", (text, slug) => {
    expect(slugify(text)).toBe(slug)
  })

  it("makes only letters, marks, digits and single separators, and is idempotent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), (text) => {
        const slug = slugify(text)
        expect(slug).toMatch(/^[\p{L}\p{M}\p{N}_-]*$/u)
        expect(slug).not.toMatch(/^[-_]|[-_]$|--/)
        expect(slugify(slug)).toBe(slug)
      }),
      { numRuns: 2000 }
    )
  })

  it("is idempotent for every assigned character", () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point)
      // Characters of private use and unassigned ones all behave alike.
      if (/[\p{Cn}\p{Co}]/u.test(character)) continue
      const slug = slugify(`${character}\u0338\u0301`)
      if (slugify(slug) !== slug) expect.fail(`U+${point.toString(16)}`)
    }
  })

  // A pattern that backtracks would take hours for these.
  it.each([
    ["-", "", "x-y"],
    ["_", "", `x${"_".repeat(1_000_000)}y`],
    [" ", "", "x-y"],
    ["a", "a".repeat(1_000_000), `x${"a".repeat(1_000_000)}y`],
    ["!", "", "x-y"],
    ["-_", "", `x${"-_".repeat(500_000)}y`]
  ])("takes a megabyte of %j", (part, alone, between) => {
    const text = part.repeat(1_000_000 / part.length)
    expect(slugify(text) === alone).toBe(true)
    expect(slugify(`x${text}y`) === between).toBe(true)
  })
})

describe("isSlug", () => {
  it.each(["a", "a-b", "a_b", "бабочки", "日本語", "42"])("accepts %j", (text) => {
    expect(isSlug(text)).toBe(true)
  })

  it.each(["", "A", "a b", "-a", "a-", "_a", "a--b", "not@a/good'slug]", "cafe\u0301"])(
    "refuses %j",
    (text) => {
      expect(isSlug(text)).toBe(false)
    }
  )
})

describe("slugWithin", () => {
  it.each([
    ["one two three", 13, "one two three"],
    ["one two three", 12, "one two"],
    ["one two three", 7, "one two"],
    ["one two three", 6, "one"],
    ["one_two three", 5, "one_t"],
    ["oneword", 3, "one"],
    ["a__ b", 3, "a"],
    ["漢字 漢字", 4, "漢字"],
    ["𐍈𐍈𐍈", 2, "𐍈𐍈"],
    ["\ufdfa", 18, "\ufdfa"],
    ["\ufdfa", 17, "صلى الله عليه"],
    ["!!!", 5, ""]
  ])("cuts %j to %i characters", (text, characters, rest) => {
    expect(slugWithin(text, characters)).toBe(slugify(rest))
  })

  it("is a slug of at most so many characters, which is the beginning of the whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, characters) => {
        const slug = slugWithin(text, characters)
        expect(Array.from(slug).length).toBeLessThanOrEqual(characters)
        expect(slugify(slug)).toBe(slug)
        expect(slugify(text).startsWith(slug)).toBe(true)
      }),
      { numRuns: 2000 }
    )
  })
})
