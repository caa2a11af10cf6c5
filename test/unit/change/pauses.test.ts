import { assert, it } from "@effect/vitest"
import { pauseAfter } from "../../../src/persistence/change/ChangeFeedSql.ts"

it("the more are told, the longer nothing is read, and nobody waits for longer than a part of a second", () => {
  assert.deepStrictEqual(
    [0, 1, 16, 100, 1000, 5000, 100_000].map(pauseAfter),
    [10, 10, 10, 60, 600, 600, 600]
  )
})
