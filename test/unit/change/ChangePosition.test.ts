/** Cursors: every position has one, and no other text is one. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import fc from "fast-check"
import {
  beginning,
  type ChangePosition,
  comparePositions,
  cursorOf,
  isBefore,
  positionOf
} from "../../../src/domain/change/ChangePosition.ts"

const position: fc.Arbitrary<ChangePosition> = fc.record({
  generation: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  txid: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
})

describe("a cursor", () => {
  it("stands for one position", () => {
    fc.assert(
      fc.property(position, (one) => {
        const cursor = cursorOf(one)
        assert.isAtMost(cursor.length, 100)
        assert.match(cursor, /^[\w-]+$/)
        assert.deepStrictEqual(Option.getOrUndefined(positionOf(cursor)), one)
      })
    )
  })

  it("is no longer one when a character of it is another", () => {
    const digits = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    fc.assert(
      fc.property(position, fc.nat(31), digits, (one, at, digit) => {
        const cursor = cursorOf(one)
        const other = cursor.slice(0, at) + digit + cursor.slice(at + 1)
        assert.strictEqual(Option.isSome(positionOf(other)), other === cursor)
      })
    )
  })

  it.each([
    "",
    "0",
    "latest",
    "A".repeat(31),
    "A".repeat(32),
    "A".repeat(33),
    `${"A".repeat(31)}=`,
    "é".repeat(32)
  ])("is not %j", (text) => {
    assert.isTrue(Option.isNone(positionOf(text)))
  })
})

describe("positions", () => {
  it("are in one order: by generation, transaction and number", () => {
    fc.assert(
      fc.property(position, position, position, (a, b, c) => {
        assert.strictEqual(Math.sign(comparePositions(a, b)) + Math.sign(comparePositions(b, a)), 0)
        if (isBefore(a, b) && isBefore(b, c)) assert.isTrue(isBefore(a, c))
        assert.isFalse(isBefore(a, beginning))
      })
    )
    assert.isTrue(isBefore({ generation: 1, txid: "9", id: 5n }, { generation: 1, txid: "10", id: 4n }))
    assert.isTrue(isBefore({ generation: 1, txid: "10", id: 5n }, { generation: 2, txid: "1", id: 1n }))
  })
})
