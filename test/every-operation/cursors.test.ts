/** Every list in pages can be walked by cursors, and refuses cursors that it has not answered. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CursorMismatch } from "../../src/domain/shared/ListPlace.ts"
import { readCursor, writeCursor } from "../../src/http/pipeline/Cursors.ts"
import { type Answer, ok } from "../support/answers.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { assertInvalid, assertProblem, isInvalid } from "../support/problems.ts"
import { areas, idsIn, nameOf, type Walk, walkFrom, withParameter } from "../support/walks.ts"

/** What has numbers of pages but is no list of its own: the children of a page are one. */
const withoutCursors = ["NodeGet"]

/** What is walked in its own tests: a page of the library has ten thousand rows. */
const walkedElsewhere = ["NodeList"]

const listed = operations
  .filter(({ queryParameters }) => queryParameters.some((name) => /(^|_)page$/.test(name)))
  .map(({ id }) => id)

const whole = (answer: Answer["json"]): Answer["json"] => answer

/** Every numbered page of a list. */
const numberedPages = Effect.fnUntraced(function* ({ page: pageIn = whole, path, viewer }: Walk) {
  const pages: Array<Answer["json"]> = []
  for (let next: number | undefined = 1; next !== undefined; ) {
    const page: Answer["json"] = pageIn(ok(yield* viewer.get(withParameter(path, "page", String(next)))))
    pages.push(page)
    next = page.next_page
  }
  return pages
})

const walkEqualsPages = Effect.fnUntraced(function* (walk: Walk) {
  const numbered = yield* numberedPages(walk)
  const expected = numbered.flatMap((page) => idsIn(walk, page))
  assert.isAtLeast(numbered.length, 3, `${nameOf(walk)} has too few pages to walk`)
  const pages = yield* walkFrom(walk, walk.path)
  assert.deepStrictEqual(
    pages.flatMap((page) => idsIn(walk, page)),
    expected,
    nameOf(walk)
  )
  for (const [index, page] of pages.entries()) {
    const isLast = index === pages.length - 1
    assert.strictEqual(page.results, page[walk.rows].length)
    assert.strictEqual(page.current_page, index + 1)
    assert.strictEqual(page.next_page, isLast ? undefined : index + 2)
  }
  // From a numbered page on, a walk is the rest.
  const rest = yield* walkFrom(walk, withParameter(walk.path, "page", "2"))
  assert.deepStrictEqual(
    rest.flatMap((page) => idsIn(walk, page)),
    expected.slice(idsIn(walk, numbered[0]).length)
  )
})

const refusesOthers = Effect.fnUntraced(function* ({ narrowed, page: pageIn = whole, path, viewer }: Walk) {
  const cursor: string = pageIn(ok(yield* viewer.get(path))).next_cursor
  const by = (text: string) => viewer.get(withParameter(path, "cursor", text))
  assertProblem(yield* viewer.get(withParameter(narrowed, "cursor", cursor)), CursorMismatch)
  assertInvalid(
    yield* viewer.get(withParameter(withParameter(path, "page", "1"), "cursor", cursor)),
    "query page"
  )
  for (const text of ["x", "ä", "bm8", "W10", "e30", `${cursor}!`, cursor.slice(0, -5)]) {
    assertInvalid(yield* by(text), "query cursor")
  }
  const { after, list, page } = Option.getOrThrow(readCursor(cursor))
  assertProblem(yield* by(writeCursor({ list: "AAAAAAAAAAAAAAAA", page, after })), CursorMismatch)
  assertInvalid(yield* by(writeCursor({ list, page: 0, after })), "query cursor")
  for (const values of [[], after.slice(1), [...after, "1"]]) {
    assertInvalid(yield* by(writeCursor({ list, page, after: values })), "query cursor")
  }
  for (const [index, value] of after.entries()) {
    // A number or an instant; other columns hold texts of any kind.
    const isText = !/^(-?\d{1,19}|[\d-]+T[\d:.]+Z|true|false)$/.test(value)
    for (const forged of ["", "'", "no such value", "9".repeat(30), "2026-02-30T00:00:00.000000Z", "NaN"]) {
      const answer = yield* by(writeCursor({ list, page, after: after.with(index, forged) }))
      if (!isText) assertInvalid(answer, "query cursor")
      else assert.isTrue(answer.status === 200 || isInvalid(answer), answer.text)
    }
  }
})

/** Each page loses its last row when it has been read, which is what the walk goes on after. */
const survivesRemovals = Effect.fnUntraced(function* (walk: Walk) {
  const expected = (yield* numberedPages(walk)).flatMap((page) => idsIn(walk, page))
  const shown: Array<string> = []
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const path: string = cursor === undefined ? walk.path : withParameter(walk.path, "cursor", cursor)
    const page: Answer["json"] = (walk.page ?? whole)(ok(yield* walk.viewer.get(path)))
    const ids = idsIn(walk, page)
    shown.push(...ids)
    for (const id of [ids.at(0), ids.at(-1)]) if (id !== undefined) yield* walk.remove(id)
    cursor = page.next_cursor
  }
  assert.deepStrictEqual(shown, expected, nameOf(walk))
})

describe("lists in pages", () => {
  it("take cursors, all of them, and are walked below", () => {
    const walked = areas.flatMap((area) => area.operations)
    assert.deepStrictEqual(
      [...new Set([...walked, ...withoutCursors, ...walkedElsewhere])].sort(),
      [...listed].sort()
    )
    for (const { id, queryParameters } of operations) {
      if (withoutCursors.includes(id)) continue
      assert.strictEqual(queryParameters.includes("page"), queryParameters.includes("cursor"), id)
    }
  })
})

for (const { area, operations: ids, walks } of areas) {
  layer(People.layer)(`lists of ${area}`, (test) => {
    test.effect("are walked by cursors as by pages, whatever is removed, and refuse other cursors", () =>
      Effect.gen(function* () {
        const found = yield* walks
        assert.deepStrictEqual([...new Set(found.map(({ operation }) => operation))].sort(), [...ids].sort())
        for (const walk of found) {
          yield* walkEqualsPages(walk)
          yield* refusesOthers(walk)
        }
        for (const walk of found) yield* survivesRemovals(walk)
      })
    )
  })
}
