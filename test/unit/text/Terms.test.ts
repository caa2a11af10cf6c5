import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { beginningOf, beginningsOf, piecesIn, piecesOf } from "../../../src/domain/text/Terms.ts"

describe("the beginnings of a title", () => {
  it.each([
    ["java", ["java"]],
    ["about javascript", ["about javascript", "javascript"]],
    ["c++ basics", ["c++ basics", "basics"]],
    ["(foo-bar)", ["(foo-bar)", "foo-bar)", "bar)"]],
    ["node.js", ["node.js", "js"]],
    ["学习", ["学习", "习"]],
    ["a学b", ["a学b", "学b"]],
    ["to be to", ["to be to", "be to", "to"]],
    ["हिन्दी में", ["हिन्दी में", "में"]],
    ["💥", ["💥"]],
    ["", []],
    ["x".repeat(40), ["x".repeat(32)]],
    [`a ${"💥".repeat(40)}`, [`a ${"💥".repeat(30)}`, "💥".repeat(32)]]
  ])("%s", (title, beginnings) => {
    assert.deepStrictEqual(beginningsOf(title), beginnings)
  })

  it("are as long as what is looked for at most", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        for (const beginning of beginningsOf(text.toWellFormed())) {
          assert.strictEqual(beginningOf(beginning), beginning)
          assert.isTrue(beginning.isWellFormed())
        }
      })
    )
  })
})

describe("the pieces of a text", () => {
  it.each([
    ["no ideographs, только буквы", []],
    ["学", ["学"]],
    ["学习编程 ok", ["学习", "习编", "编程", "程"]],
    ["学习学习", ["学习", "习学", "习"]],
    ["ab学cd한국", ["学", "한국", "국"]],
    ["𠀀𠀁", ["𠀀𠀁", "𠀁"]]
  ])("%s", (text, pieces) => {
    assert.deepStrictEqual(piecesOf(text), pieces)
  })

  it("have a bound", () => {
    const all = Array.from({ length: 0x51a5 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("")
    const text = Array.from(
      { length: 6 },
      (_, n) => `${all.slice(n)}${String.fromCodePoint(0xac00 + n)}`
    ).join("")
    assert.isAtMost(
      piecesOf(`${text}${all.replace(/(.)(.)/gu, "$2$1")}${text.split("").reverse().join("")}`).length,
      100_000
    )
  })

  it("contain those of every term that the text contains", () => {
    const letters = fc.string({
      unit: fc.constantFrom("学", "习", "の", "국", "a", " ", "𠀀"),
      maxLength: 12
    })
    fc.assert(
      fc.property(letters, letters, letters, (before, term, after) => {
        const pieces = piecesOf(`${before}${term}${after}`)
        for (const { isBeginning, text } of piecesIn(term)) {
          assert.isTrue(pieces.some((piece) => (isBeginning ? piece.startsWith(text) : piece === text)))
        }
      }),
      { numRuns: 1000 }
    )
  })
})
