import { assert, describe, it } from "@effect/vitest"
import { repliesOnPage } from "../../../src/domain/thread/ThreadSummary.ts"

const mebi = 1024 * 1024

describe("replies on a page", () => {
  it.each([
    [0, 0, 50],
    [0, 12_000, 50],
    [0, mebi / 10, 10],
    [mebi, mebi / 10, 5],
    [0, mebi, 1],
    [0, 5 * mebi, 1],
    [3 * mebi, 100, 1]
  ])("beside an opening post of %i bytes and replies of at most %i are %i", (opening, reply, expected) => {
    assert.strictEqual(repliesOnPage({ openingWeight: opening, replyWeight: reply }), expected)
  })
})
