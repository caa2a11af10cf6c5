import { describe, expect, it } from "vitest"
import { readAccountOrder } from "../../../src/domain/account/AccountListing.ts"

describe("readAccountOrder", () => {
  it.each([
    [undefined, "created_at", true],
    ["created_at", "created_at", false],
    ["-updated_at", "updated_at", true],
    ["updated_at", "updated_at", false],
    ["name", "name", false],
    ["-handle", "handle", true],
    ["--name", "created_at", true],
    ["email", "created_at", true]
  ] as const)("reads %s", (sort, by, descending) => {
    expect(readAccountOrder(sort)).toEqual({ by, descending })
  })
})
