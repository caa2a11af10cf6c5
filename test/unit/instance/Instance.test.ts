import { describe, expect, it } from "vitest"
import { decideOnboarding } from "../../../src/domain/instance/Instance.ts"

describe("decideOnboarding", () => {
  it.each([
    [0, 0, 0, "requires_first_account"],
    [0, 2, 2, "requires_first_account"],
    [1, 0, 0, "requires_category"],
    [2, 0, 2, "requires_category"],
    [1, 1, 0, "requires_first_post"],
    [2, 1, 0, "requires_first_post"],
    [1, 1, 1, "requires_more_accounts"],
    [1, 2, 2, "requires_more_accounts"],
    [2, 1, 1, "complete"],
    [2, 2, 2, "complete"]
  ])("%i accounts, %i categories and %i posts: %s", (accounts, categories, posts, status) => {
    expect(decideOnboarding({ accounts, categories, posts })).toBe(status)
  })
})
