/** Lists that have several pages. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, ok } from "./answers.ts"
import type { Person } from "./people.ts"
import { nextLink } from "./walks.ts"

const room = 2 * 1024 * 1024

type Shown = Answer["json"]

/** Everything in a list, as a walk by cursors shows it. */
const walked = Effect.fnUntraced(function* (viewer: Person, path: string, key: string, largest: number) {
  const found: Array<Shown> = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = yield* viewer.get(next)
    assert.isBelow(Buffer.byteLength(answer.text), room + largest)
    const page = ok(answer)
    assert.isNotEmpty(page[key])
    found.push(...page[key])
    next = nextLink(answer)
  }
  return found
})

/**
 * Everything on the pages of a list, in its order, as `next_page` leads from one to the next, and how many rows each
 * has. No page but that of an empty list is empty, and each has about 2 MiB, and what its last row takes, at most.
 */
export const everyPage = Effect.fnUntraced(function* (
  viewer: Person,
  path: string,
  key: string,
  largest = 70 * 1024
) {
  const found: Array<Shown> = []
  const counts: Array<number> = []
  for (let next: number | undefined = 1; next !== undefined; ) {
    const answer = yield* viewer.get(`${path}${path.includes("?") ? "&" : "?"}page=${next}`)
    assert.isBelow(Buffer.byteLength(answer.text), room + largest)
    const { [key]: rows, current_page, next_page, results, total_pages } = ok(answer)
    assert.isNotEmpty(rows)
    assert.deepStrictEqual([results, current_page], [rows.length, next])
    assert.strictEqual(next_page, next === total_pages ? undefined : next + 1)
    found.push(...rows)
    counts.push(rows.length)
    next = next_page
  }
  const beyond = ok(yield* viewer.get(`${path}${path.includes("?") ? "&" : "?"}page=${counts.length + 1}`))
  assert.deepStrictEqual([beyond[key], beyond.total_pages], [[], counts.length])
  assert.deepStrictEqual(yield* walked(viewer, path, key, largest), found)
  return { found, counts }
})
