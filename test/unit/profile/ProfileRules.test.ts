import { describe, expect, it } from "vitest"
import { readOrder } from "../../../src/domain/profile/ProfileRules.ts"
import { searched } from "../../../src/domain/text/SearchText.ts"

describe("readOrder", () => {
  it.each([
    ["name", "name", false],
    ["-name", "name", true],
    ["handle", "handle", false],
    ["-handle", "handle", true],
    ["created_at", "created_at", false],
    ["-created_at", "created_at", true],
    // Anything else means the newest first.
    ["--name", "created_at", true],
    ["Name", "created_at", true],
    ["name desc", "created_at", true],
    ["updated_at", "created_at", true],
    ["toString", "created_at", true],
    ["-", "created_at", true],
    ["", "created_at", true],
    [undefined, "created_at", true]
  ] as const)("reads %j", (sort, by, descending) => {
    expect(readOrder(sort)).toEqual({ by, descending })
  })
})

describe("searched", () => {
  it.each([
    ["Odin", "odin"],
    ["ÓÐIN", "odin"],
    [" o", " o"],
    ["a\tb", "a b"],
    ["\u200b", undefined],
    ["   ", undefined],
    ["", undefined],
    [undefined, undefined]
  ])("looks for %j as %j", (q, text) => {
    expect(searched(q)).toBe(text)
  })
})
