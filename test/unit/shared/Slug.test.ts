import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { brokenHandleRule, isSlug, slugify } from "../../../src/domain/shared/Slug.ts"

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

describe("brokenHandleRule", () => {
  it.each([
    "odin",
    "a_b-c",
    "αλφα",
    "бабочки",
    "漢字",
    "שלום",
    "مرحبا",
    "हिन्दी",
    "한국어",
    "ภาษาไทย",
    "x".repeat(30),
    "漢".repeat(10)
  ])("accepts %j", (handle) => {
    expect(brokenHandleRule(handle)).toBeUndefined()
  })

  it.each([
    ["", "empty"],
    ["x".repeat(31), "too_long"],
    ["漢".repeat(11), "too_long"],
    ["-x", "characters"],
    ["x-", "characters"],
    ["has space", "characters"],
    ["!!!", "characters"],
    ["a--b", "characters"],
    ["Odin", "characters"]
  ])("refuses %j as %s", (handle, rule) => {
    expect(brokenHandleRule(handle)).toBe(rule)
  })
})
