/** What instants and ids of a service say. */
import { assert, describe, it } from "vitest"
import { instantOf, madeAt, timesOf } from "../../../src/operator/convert/storyden/Values.ts"

describe("an instant of a service", () => {
  it.each([
    ["2024-05-06T07:08:09.123456789Z", "2024-05-06T07:08:09.123456Z"],
    ["2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"],
    ["2024-05-06T07:08:09.5+02:00", "2024-05-06T05:08:09.500Z"],
    ["+010000-01-01T00:00:00Z", undefined],
    ["-000001-01-01T00:00:00Z", undefined],
    ["yesterday", undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined]
  ])("%s is %s", (text, expected) => {
    assert.strictEqual(instantOf(text), expected)
  })
})

describe("when something was made that does not say so", () => {
  // Its first 32 bits are the seconds 1714979289.
  const id = "cos83m80000000000000"
  const made = "2024-05-06T07:08:09.000Z"
  const second = 1000
  const at = Date.parse(made)

  it("is what its id says, between what it belongs to and when it was read", () => {
    const earlier = "2020-01-01T00:00:00Z"
    assert.strictEqual(madeAt(id, earlier, at + second), made)
    assert.strictEqual(madeAt(id, made, at), made)
    // An id of another form says anything.
    assert.strictEqual(madeAt(id, earlier, at - second), earlier)
    const later = new Date(at + second).toISOString()
    assert.strictEqual(madeAt(id, later, at + 2 * second), later)
  })
})

it("nothing was changed before it was made", () => {
  const [early, late] = ["2024-05-06T07:08:09Z", "2024-05-07T07:08:09Z"]
  assert.deepStrictEqual(timesOf({ createdAt: late, updatedAt: early }), {
    created_at: late,
    updated_at: late
  })
  assert.deepStrictEqual(timesOf({ createdAt: early, updatedAt: late }), {
    created_at: early,
    updated_at: late
  })
  assert.deepStrictEqual(timesOf({ createdAt: early, updatedAt: null }), {
    created_at: early,
    updated_at: early
  })
})
