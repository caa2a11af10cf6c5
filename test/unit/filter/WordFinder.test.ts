import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { piecesOf } from "../../../src/domain/field/TextPieces.ts"
import { comparable, WordFinder } from "../../../src/domain/filter/WordFinder.ts"
import { withTurns } from "../../support/turns.ts"

const find = (words: ReadonlyArray<string>, text: string) => {
  const search = Effect.runSync(WordFinder.make(words)).search()
  for (const piece of piecesOf(text)) {
    const word = search.next(comparable(piece))
    if (word !== undefined) return word
  }
  return undefined
}

const filler = "lorem ipsum ".repeat(3_000)

describe("a word", () => {
  it.each<readonly [string, string]>([
    ["spam", "spam"],
    ["spam", "no SPAM please"],
    ["SPAM", "unspammed"],
    ["Straße", "STRASSE"],
    ["strasse", "Straße"],
    ["ΣΟΦΟΣ", "σοφος"],
    ["caf\u00e9", "cafe\u0301"],
    ["cafe\u0301", "CAF\u00c9"],
    ["spam", "\uff53\uff50\uff41\uff4d"],
    ["\uff53\uff50\uff41\uff4d", "spam"],
    ["spam", "s\u200bp\u00ada\u2060m"],
    ["s\u00adpam", "spam"],
    ["buy now", "buy \n\t now"],
    ["buy\u00a0now", "buy now"],
    [" spam ", "spam"],
    ["\u{1f4a9}", "x\u{1f4a9}y"],
    ["ﬁsh", "FISH"],
    ["бабочка", "Бабочка!"],
    ["日本", "東日本大"],
    ["he", "ushers"],
    ["hers", "ushers"],
    ["bcd", "abce bcd"],
    ["aab", "aaaab"],
    ["spam", `${filler}spam`],
    ["spam", `${"x".repeat(16_382)}spam`],
    ["caf\u00e9", `${"x".repeat(16_380)}cafe\u0301`],
    ["각", `${"x".repeat(16_383)}\u1100\u1161\u11a8`]
  ])("%j is found in %#", (word, text) => {
    assert.strictEqual(find([word], text), word)
    assert.strictEqual(find(["zebra", word, "quokka"], text), word)
  })

  it.each<readonly [string, string]>([
    ["spam", "spa m"],
    ["spam", ""],
    ["ano", "a\u00f1o"],
    ["resume", "r\u00e9sum\u00e9"],
    ["buy now", "buynow"],
    ["", "anything"],
    [" ", "any thing"],
    ["\u200b", "any\u200bthing"],
    ["bcd", "abce"]
  ])("%j is not found in %j", (word, text) => {
    assert.isUndefined(find([word], text))
  })

  it("is found wherever the text contains it, among any others", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 })
    const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 }), {
      maxLength: 8
    })
    fc.assert(
      fc.property(words, letters, (words, text) => {
        const found = find(words, text)
        if (found === undefined) assert.isFalse(words.some((word) => text.includes(word)))
        else assert.isTrue(words.includes(found) && text.includes(found))
      }),
      { numRuns: 1_000 }
    )
  })

  it("is the one that ends first, and of these the longest that was begun", () => {
    assert.strictEqual(find(["second", "first"], "first second"), "first")
    assert.strictEqual(find(["she", "he"], "she"), "she")
  })
})

describe("the pieces of a text", () => {
  it("are the text, each of them short, whatever it consists of", () => {
    const texts = [
      "",
      "x".repeat(50_000),
      "\u{1f600}".repeat(20_000),
      `x${"\u0301".repeat(40_000)}`,
      "\u1100\u1161\u11a8".repeat(10_000)
    ]
    for (const text of texts) {
      const pieces = [...piecesOf(text)]
      assert.strictEqual(pieces.join(""), text)
      assert.isAtMost(Math.max(0, ...pieces.map(({ length }) => length)), 16_384)
      assert.isTrue(pieces.every((piece) => piece.isWellFormed()))
    }
  })
})

describe("a list of words", () => {
  it.effect("lets others go on while it is made ready", () =>
    Effect.gen(function* () {
      const words = Array.from({ length: 1_000 }, (_, n) => `${n} `.padEnd(100, "word "))
      const { made, turns } = yield* withTurns(WordFinder.make(words))
      const search = made.search()
      assert.isAtLeast(turns, 40)
      assert.strictEqual(search.next(comparable(words[777] ?? "")), words[777])
    })
  )
})
