import { assert, it } from "@effect/vitest"
import { pauseAfter } from "../../../src/persistence/change/ChangeFeedSql.ts"

it("the more are told, the longer nothing is read, and nobody waits for longer than a part of a second", () => {
  assert.deepStrictEqual(
    [0, 1, 33, 100, 1000, 5000, 100_000].map((told) => pauseAfter({ told, spent: 0 })),
    [10, 10, 10, 60, 735, 750, 750]
  )
})

it("the longer telling takes, the longer nothing is read, so that it takes a small part of the time", () => {
  assert.deepStrictEqual(
    [0.1, 1, 2, 10, 100].map((spent) => pauseAfter({ told: 50, spent })),
    [22.5, 25, 50, 250, 750]
  )
  assert.strictEqual(pauseAfter({ told: 100, spent: 2 }), 60)
})
