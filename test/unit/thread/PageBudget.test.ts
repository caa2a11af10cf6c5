import { assert, describe, it } from "@effect/vitest"
import { budget, fitting, repliesOnPage } from "../../../src/domain/thread/PageBudget.ts"

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

describe("what is shown in full", () => {
  it.each([
    ["nothing", [], []],
    ["what fits exactly", [budget - 1, 1], [0, 1]],
    ["not what exceeds it", [budget + 1], []],
    ["what still fits behind what does not", [budget - 2, 3, 2, 1], [0, 2]],
    ["what takes nothing", [budget, 0, 1], [0, 1]]
  ])("is %s", (_, sizes, expected) => {
    const items = sizes.map((size, id) => ({ id, size }))
    assert.deepStrictEqual(
      fitting(items, ({ size }) => size).map(({ id }) => id),
      expected
    )
  })
})
