import { assert, describe, it } from "@effect/vitest"
import { repliesOnPage, shownInFull } from "../../../src/domain/thread/PageBudget.ts"

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

describe("threads that a list shows in full", () => {
  const shown = (...weights: ReadonlyArray<number>) =>
    shownInFull(weights.map((openingWeight, id) => ({ id, openingWeight }))).map(({ id }) => id)

  it("are those that fit, with those before them", () => {
    assert.deepStrictEqual(shown(), [])
    assert.deepStrictEqual(shown(mebi, mebi, 1), [0, 1])
    assert.deepStrictEqual(shown(mebi, 2 * mebi, mebi), [0, 2])
    assert.deepStrictEqual(shown(3 * mebi), [])
  })
})
