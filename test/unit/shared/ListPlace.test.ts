import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { firstPage, listEnvelope, numberedPage } from "../../../src/domain/shared/ListPlace.ts"

const cursors = {
  write: (after: ReadonlyArray<string>, page: number) => `${after} ${page}`,
  refuse: Effect.die("")
}

const key = ["k"]

describe("the numbers of a page", () => {
  it.each([
    ["a first page", { page: 1, cursors }, 120, key, { current_page: 1, next_page: 2, next_cursor: "k 2" }],
    ["a last page", { page: 3, cursors }, 120, undefined, { current_page: 3 }],
    ["a page beyond the last", { page: 7, cursors }, 120, undefined, { current_page: 7 }],
    [
      "a page of a walk",
      { page: 2, after: key, cursors },
      120,
      key,
      { current_page: 2, next_page: 3, next_cursor: "k 3" }
    ],
    ["the end of a walk", { page: 2, after: key, cursors }, 120, undefined, { current_page: 2 }],
    [
      "a walk that has become longer than the list",
      { page: 9, after: key, cursors },
      120,
      key,
      { current_page: 9, next_page: 10, next_cursor: "k 10" }
    ]
  ] as const)("of %s", (_what, place, total, next, expected) => {
    expect(listEnvelope({ place, total, next, size: 50, results: 20 })).toStrictEqual({
      page_size: 50,
      results: 20,
      total_pages: 3,
      ...expected
    })
  })

  it("have no cursor in a list that is a part of another answer", () => {
    for (const place of [firstPage, numberedPage(1)]) {
      expect(listEnvelope({ place, total: 120, next: key, size: 50, results: 50 })).toStrictEqual({
        page_size: 50,
        results: 50,
        total_pages: 3,
        current_page: 1,
        next_page: 2
      })
    }
  })
})
