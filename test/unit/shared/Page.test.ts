import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageEnvelope, pageNumber, singlePage } from "../../../src/domain/shared/Page.ts"

describe("pageNumber", () => {
  it.each([
    ["1", 1],
    ["2", 2],
    ["007", 7],
    ["2147483647", 2_147_483_647],
    ["99999999999999", 99_999_999_999_999],
    ["0", 1],
    ["-1", 1],
    ["+2", 1],
    ["1.5", 1],
    ["2e3", 1],
    ["0x2", 1],
    [" 2", 1],
    ["2 ", 1],
    ["two", 1],
    ["٢", 1],
    ["NaN", 1],
    ["Infinity", 1],
    ["9".repeat(400), 1],
    ["", 1],
    [undefined, 1]
  ])("reads %j as page %i", (text, page) => {
    expect(pageNumber(text)).toBe(page)
  })

  it("is a positive integer whose offset is a safe integer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.bigInt().map(String), fc.double().map(String)), (text) => {
        const page = pageNumber(text)
        expect(page).toBeGreaterThanOrEqual(1)
        expect(Number.isSafeInteger(page * 50)).toBe(true)
      })
    )
  })
})

describe("pageEnvelope", () => {
  it.each([
    ["nothing", { current: 1, size: 50, total: 0, results: 0 }, { total_pages: 0 }],
    ["a page that is not full", { current: 1, size: 50, total: 49, results: 49 }, { total_pages: 1 }],
    ["a full page", { current: 1, size: 50, total: 50, results: 50 }, { total_pages: 1 }],
    ["one more", { current: 1, size: 50, total: 51, results: 50 }, { total_pages: 2, next_page: 2 }],
    ["the last page", { current: 2, size: 50, total: 51, results: 1 }, { total_pages: 2 }],
    ["past the end", { current: 2_147_483_647, size: 50, total: 51, results: 0 }, { total_pages: 2 }]
  ])("of %s", (_name, asked, expected) => {
    expect(pageEnvelope(asked)).toStrictEqual({
      page_size: 50,
      results: asked.results,
      current_page: asked.current,
      ...expected
    })
  })

  it("has a next page on each page but the last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 400 }), (size, total) => {
        let pages = 0
        let seen = 0
        for (let current: number | undefined = 1; current !== undefined; pages++) {
          const results = Math.max(0, Math.min(size, total - (current - 1) * size))
          seen += results
          current = pageEnvelope({ current, size, total, results }).next_page
        }
        expect(seen).toBe(total)
        expect(pages).toBe(Math.max(1, Math.ceil(total / size)))
      })
    )
  })
})

describe("singlePage", () => {
  it.each([0, 1, 75])("puts all %i items on one page", (count) => {
    expect(singlePage(count)).toStrictEqual({
      page_size: count,
      results: count,
      total_pages: 1,
      current_page: 1
    })
  })
})
