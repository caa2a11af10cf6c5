import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hasAtMost, isStorable, isVisible, toLine, toLines, toTerm } from "../../../src/domain/field/Text.ts"

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom(
      "a",
      " ",
      "\n",
      "\r",
      "\u0301",
      "\u200d",
      "\ufe0f",
      "\u202e",
      "\u3164",
      "❤",
      "ه",
      "\u180b",
      "ᠭ",
      "🏴",
      "\u{e0067}",
      "\u{e007f}",
      "\ufff9"
    )
  })
)

describe("toLine", () => {
  it.each([
    ["  two   words ", "two   words"],
    ["two\r\nlines\tand\u2028more", "two lines and more"],
    ["cafe\u0301", "café"],
    ["bell\u0007\u0085\u009b", "bell"],
    ["\u202eright\u202c \u2066to\u2069 \u200fleft\u061c", "right to left"],
    ["in\u200bvis\u00adi\u2060ble\ufeff\u{e0041}\u3164\u034f", "invisible"],
    ["a\u200db\u200cc\ufe0f\ufe0f", "abc\ufe0f"],
    [" \ufe0f", ""],
    ["\ufe0f\u200d❤", "❤"],
    ["\u180b\u200cᠭ", "ᠭ"]
  ])("makes %j into %j", (text, line) => {
    expect(toLine(text)).toBe(line)
  })

  it.each([
    "❤️",
    "❤️‍🔥",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "👩🏽‍💻",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "1️⃣",
    "می‌خواهم",
    "क्‍ष",
    "ශ්‍රී",
    "ᠭ᠎ᠠ",
    "葛󠄀",
    "שָׁלוֹם".normalize("NFC")
  ])("leaves %j as it is", (text) => {
    expect(toLine(text)).toBe(text)
  })

  it("is one line in normal form C, trimmed, and its own line", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const line = toLine(text)
        expect(line).toBe(line.normalize("NFC").trim())
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
        expect(toLine(line)).toBe(line)
      }),
      { numRuns: 5000 }
    )
  })
})

describe("toLines", () => {
  it.each([
    ["a\r\nb\rc\n\td", "a\nb\nc\n\td"],
    ["a\fb\u0007c\u0085d", "a\nbc\nd"],
    ["  cafe\u0301 ", "  café "],
    ["<p>\u202ekept</p>", "<p>\u202ekept</p>"]
  ])("makes %j into %j", (text, lines) => {
    expect(toLines(text)).toBe(lines)
  })
})

// Normal forms take quadratic time for marks that have to be put in order: minutes, for these.
describe("a megabyte of marks", () => {
  const marks = `a${"\u0301\u0316".repeat(250_000)}`

  it.each([
    ["toLine", toLine],
    ["toLines", toLines],
    ["toTerm", toTerm]
  ])("is soon done by %s", (_, change) => {
    expect(change(marks).length).toBeLessThanOrEqual(31)
    expect(change(marks.replaceAll("\u0316", "\u0316\u200b")).length).toBeLessThan(1_000_000)
  })
})

describe("isVisible", () => {
  it.each(["a", "❤️", "\u202ea", "."])("is true of %j", (text) => {
    expect(isVisible(text)).toBe(true)
  })

  it.each([
    "",
    " \n",
    "\u00a0\u3000",
    "\u202e\u200b\u00ad",
    "\u3164\u115f\uffa0",
    "\u2800",
    "\u0007\u009b",
    "\ufeff"
  ])("is false of %j", (text) => {
    expect(isVisible(text)).toBe(false)
  })
})

describe("isStorable", () => {
  it.each([
    ["\u{1f98b}", true],
    ["a\0b", false],
    ["\ud800", false],
    ["\udc00\ud800", false]
  ])("of %j is %s", (text, storable) => {
    expect(isStorable(text)).toBe(storable)
  })
})

describe("hasAtMost", () => {
  it.each([
    ["abc", 3, true],
    ["abcd", 3, false],
    ["🦋🦋🦋", 3, true],
    ["🦋🦋🦋🦋", 3, false],
    ["🦋🦋a", 2, false]
  ])("counts characters: %j, %i", (text, characters, fits) => {
    expect(hasAtMost(text, characters)).toBe(fits)
  })

  it("counts a pair of surrogates once, and each of those that have no pair", () => {
    const unpaired = fc.string({ unit: fc.constantFrom("a", "\ud83e", "\udd8b", "🦋") })
    fc.assert(
      fc.property(unpaired, (text) => {
        const characters = Array.from(text).length
        expect(hasAtMost(text, characters)).toBe(true)
        expect(hasAtMost(text, characters - 1)).toBe(false)
      })
    )
  })
})
