import { assert, describe, it } from "@effect/vitest"
import { emojiLength, toEmoji } from "../../../src/domain/reaction/Reaction.ts"
import { processorMillis } from "../../support/cpu.ts"

const selector = "\ufe0f"
const joiner = "\u200d"
const keycap = "\u20e3"

/** A letter as it stands in flags of countries. */
const indicator = (letter: string) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x41 + 0x1f1e6)
const flag = (letters: string) => Array.from(letters, indicator).join("")

/** A black flag and the name of a region. */
const regionFlag = (name: string) =>
  ["\u{1f3f4}", ...Array.from(name, (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))]
    .concat("\u{e007f}")
    .join("")

const emoji: ReadonlyArray<readonly [what: string, text: string]> = [
  ["a face", "😊"],
  ["one with a selector", "❤️"],
  ["one that is text without it", "☝️"],
  ["a skin tone", "👍🏽"],
  ["a skin tone in place of a selector", "☝🏽"],
  ["a keycap", `1${selector}${keycap}`],
  ["the keycap of a sign", `#${selector}${keycap}`],
  ["a flag", flag("NO")],
  ["the flag of a region", regionFlag("gbsct")],
  ["a flag of two emoji", `🏳${selector}${joiner}🌈`],
  ["a family", ["👨", "👩", "👧", "👦"].join(joiner)],
  ["a couple with two skin tones", ["👩🏻", `❤${selector}`, "💋", "👩🏿"].join(joiner)],
  ["an eye in a bubble", `👁${selector}${joiner}🗨${selector}`],
  ["a profession", `🧑🏾${joiner}⚖${selector}`],
  ["a direction", `🏃${joiner}♀${selector}${joiner}➡${selector}`],
  ["a colour", ["🐈", "⬛"].join(joiner)],
  ["hair", ["🧑", "🦰"].join(joiner)],
  ["a copyright sign", `©${selector}`]
]

const others: ReadonlyArray<readonly [what: string, text: string]> = [
  ["nothing", ""],
  ["a letter", "a"],
  ["a digit", "1"],
  ["a digit with a selector", `1${selector}`],
  ["a sign of keycaps", "*"],
  ["a keycap of a letter", `a${keycap}`],
  ["a name between colons", ":smile:"],
  ["a smiley of punctuation", ":-)"],
  ["two emoji", "😊😊"],
  ["an emoji and text", "😊a"],
  ["text and an emoji", "a😊"],
  ["an emoji and a space", "😊 "],
  ["two flags", flag("NOSE")],
  ["half a flag", indicator("N")],
  ["a flag of no country", flag("XX")],
  ["the flag of no region", regionFlag("xxxxx")],
  ["a flag with an open name", "\u{1f3f4}\u{e0067}"],
  ["a selector alone", selector],
  ["a joiner alone", joiner],
  ["an open sequence", `👩${joiner}`],
  ["a sequence that nobody recommends", ["🐈", "🐈"].join(joiner)],
  ["a skin tone on what has none", "🐈🏽"],
  ["the text form of an emoji", "❤\ufe0e"],
  ["a letter of another script", "ж"],
  ["a combining mark", "😊\u0301"],
  ["an unpaired surrogate", "\ud83d"],
  ["text like a pattern", "\\p{RGI_Emoji}"],
  ["a name of an object's member", "constructor"]
]

describe("toEmoji", () => {
  it.each(emoji)("takes %s", (_, text) => {
    assert.strictEqual(toEmoji(text), text)
    assert.isAtMost(Array.from(text).length, emojiLength)
  })

  it.each(others)("refuses %s", (_, text) => {
    assert.isUndefined(toEmoji(text))
  })

  it.each(emoji)("makes %s the same with and without selectors", (_, text) => {
    const isBare = (one: string) => toEmoji(one) === text
    assert.isTrue(isBare(text.replaceAll(selector, "")))
    assert.isTrue(isBare(`${text}${selector}`))
  })

  it("takes every character that is an emoji by itself, and none of ASCII", () => {
    const found: Array<string> = []
    for (let code = 0; code < 0x20000; code++) {
      const character = String.fromCodePoint(code)
      const taken = toEmoji(character)
      if (taken === undefined) continue
      found.push(character)
      assert.strictEqual(toEmoji(taken), taken)
      assert.isAtLeast(code, 0x80)
    }
    assert.isAbove(found.length, 1300)
  })

  it("takes a flag for each of some 260 countries", () => {
    const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(0x41 + n))
    const flags = letters.flatMap((a) => letters.map((b) => flag(a + b)))
    const taken = flags.filter((one) => toEmoji(one) === one)
    assert.isAbove(taken.length, 250)
    assert.isBelow(taken.length, 280)
  })

  it("refuses long texts at once", () => {
    const long = `${["👩", "👩"].join(joiner)}${selector}`.repeat(200_000)
    assert.isBelow(
      processorMillis(() => assert.isUndefined(toEmoji(long))),
      1000
    )
  })
})
