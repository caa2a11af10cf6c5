import { describe, expect, it } from "vitest"
import { brokenHandleRule, handleKey } from "../../../src/domain/account/Handle.ts"

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
    "admin2",
    "mee",
    "d0q2m9k7h4v8s6e3b1c",
    "d0q2m9k7h4v8s6e3b1c0",
    "00000000000000000000",
    "moderator",
    "staff",
    "support",
    "root",
    "api",
    "everyone",
    "w".repeat(20),
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
    ["Odin", "characters"],
    ["o\u200ddin", "characters"],
    ["o\u00addin", "characters"],
    ["odin\ufe0f", "characters"],
    ["odin\u034f", "characters"],
    ["\u3164", "characters"],
    ["me", "reserved"],
    ["admin", "reserved"],
    ["аdmin", "reserved"],
    ["adm\u0456n", "reserved"]
  ])("refuses %j as %s", (handle, rule) => {
    expect(brokenHandleRule(handle)).toBe(rule)
  })

  it.each([
    ["council", "reserved"],
    ["c\u043euncil", "reserved"],
    ["elders", "reserved"],
    ["councils", undefined]
  ])("with words of the instance, of %j is %s", (handle, rule) => {
    expect(brokenHandleRule(handle, ["council", "Elders"])).toBe(rule)
  })
})

describe("handleKey", () => {
  // The keys of accounts are stored: a change here needs a migration that makes them anew.
  it.each([
    ["odin", "odin"],
    ["ODIN", "odin"],
    ["оdin", "odin"],
    ["οdin", "odin"],
    ["օdin", "odin"],
    ["ꮃord", "word"],
    ["𝓸din", "odin"],
    ["раураӏ", "paypai"],
    ["straße", "strasse"],
    ["STRAẞE", "strasse"],
    ["æsir", "aesir"],
    ["і\u0307", "i"],
    ["е\u0301", "é"],
    ["бабочки", "6a6oчки"],
    ["οδος", "oδoo"],
    ["οδοσ", "oδoo"],
    ["日本", "日本"]
  ])("of %j is %j", (handle, key) => {
    expect(handleKey(handle)).toBe(key)
    expect(handleKey(key)).toBe(key)
  })

  it.each([
    ["bam", "barn"],
    ["0din", "odin"],
    ["1oki", "loki"],
    ["vv", "w"],
    ["fréya", "freya"],
    ["a-b", "a_b"]
  ])("keeps %j and %j apart", (one, other) => {
    expect(handleKey(one)).not.toBe(handleKey(other))
  })

  it("does not depend on letter case, for any letter", () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      const letter = String.fromCodePoint(point)
      if (!/^\p{L}$/u.test(letter)) continue
      const key = handleKey(letter)
      if (handleKey(letter.toLowerCase()) !== key) expect.fail(`U+${point.toString(16)}`)
      if (handleKey(key) !== key) expect.fail(`U+${point.toString(16)} twice`)
    }
  })
})
