import { assert, describe, it } from "@effect/vitest"
import { firstFitting, partsShown, placesOf, room } from "../../../src/domain/answer/AnswerRoom.ts"

describe("the places of a row", () => {
  it.each([
    [0, 1],
    [1, 1],
    [room / 50, 1],
    [room / 50 + 1, 2],
    [room / 2, 25],
    [room - 1, 50],
    [room, 50],
    [room + 1, 50],
    [10 * room, 50]
  ])("of %i bytes on a page of fifty are %i", (size, places) => {
    assert.strictEqual(placesOf(size, 50), places)
  })
})

describe("the parts that are shown", () => {
  const cases: ReadonlyArray<
    readonly [string, ReadonlyArray<ReadonlyArray<number>>, number, ReadonlyArray<number>]
  > = [
    ["nothing", [], 10, []],
    [
      "all that fit",
      [
        [1, 2],
        [3, 4]
      ],
      10,
      [2, 2]
    ],
    [
      "the last parts of the last rows go first",
      [
        [1, 2],
        [3, 4]
      ],
      9,
      [2, 1]
    ],
    [
      "then those of all rows",
      [
        [1, 4],
        [3, 2]
      ],
      7,
      [1, 1]
    ],
    [
      "then the parts before",
      [
        [1, 4],
        [3, 2]
      ],
      3,
      [1, 0]
    ],
    [
      "a later row is not shown what an earlier one lacks",
      [
        [0, 9],
        [0, 1]
      ],
      5,
      [1, 1]
    ],
    ["nothing where there is no room", [[1], [0]], -1, [0, 0]],
    [
      "what takes nothing needs no room",
      [
        [0, 0],
        [0, 0]
      ],
      0,
      [2, 2]
    ],
    ["of rows with fewer parts", [[1], [1, 1]], 3, [2, 2]]
  ]
  it.each(cases)("%s", (_, rows, available, shown) => {
    assert.deepStrictEqual(partsShown(rows, available), shown)
  })
})

describe("the first items that fit", () => {
  it.each([
    [[], []],
    [[9], [9]],
    [[9, 1], [9]],
    [
      [2, 3, 1],
      [2, 3]
    ],
    [
      [2, 2, 1],
      [2, 2, 1]
    ]
  ])("of %j within 5 are %j", (sizes, expected) => {
    assert.deepStrictEqual(
      firstFitting(sizes, (size) => size, 5),
      expected
    )
  })
})
