import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { generatedHandle, handleWords } from "../../../src/domain/account/GeneratedHandle.ts"
import { brokenHandleRule } from "../../../src/domain/account/Handle.ts"

const longest = (words: ReadonlyArray<string>) =>
  words.reduce((one, other) => (other.length > one.length ? other : one), "")

describe("generatedHandle", () => {
  it("is an adjective and an animal, with a number where that is wanted", () => {
    const { adjectives, animals } = handleWords
    expect(generatedHandle([0, 0, 7], false)).toBe(`${adjectives[0]}-${animals[0]}`)
    expect(generatedHandle([1, 2, 1_000_007], true)).toBe(`${adjectives[1]}-${animals[2]}-7`)
  })

  it("is made of different words, more than ten thousand pairs", () => {
    const { adjectives, animals } = handleWords
    for (const words of [adjectives, animals]) expect(new Set(words).size).toBe(words.length)
    expect(adjectives.length * animals.length).toBeGreaterThan(10_000)
    for (const word of [...adjectives, ...animals]) expect(word).toMatch(/^[a-z]{2,}$/)
  })

  it("is always a handle that people could choose, the longest included", () => {
    const { adjectives, animals } = handleWords
    expect(brokenHandleRule(`${longest(adjectives)}-${longest(animals)}-999999`)).toBeUndefined()
    const number = fc.integer({ min: 0, max: 2 ** 32 - 1 })
    fc.assert(
      fc.property(number, number, number, fc.boolean(), (adjective, animal, suffix, withNumber) => {
        expect(brokenHandleRule(generatedHandle([adjective, animal, suffix], withNumber))).toBeUndefined()
      })
    )
  })
})
