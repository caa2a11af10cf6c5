/** Which events were committed after a moment. */
import { assert, describe, it } from "@effect/vitest"
import { isAfter, isBeyond, parseSnapshot } from "../../../src/persistence/change/LogMoment.ts"

const moment = (snapshot: string) => ({
  head: { generation: 2, txid: "0", id: 0n },
  generation: 2,
  snapshot: parseSnapshot(snapshot)
})

describe("an event", () => {
  it.each([
    // What is older than all that runs is committed.
    ["10:10:", 2, "9", false],
    ["10:10:", 2, "10", true],
    ["10:20:", 2, "15", false],
    ["10:20:10,15", 2, "10", true],
    ["10:20:10,15", 2, "15", true],
    ["10:20:10,15", 2, "16", false],
    ["10:20:10,15", 2, "20", true],
    // Other generations, whatever their numbers.
    ["10:20:10,15", 1, "15", false],
    ["10:20:10,15", 1, "99999999999999999999", false],
    ["10:20:10,15", 3, "1", true]
  ] as const)(
    "at the snapshot %s in generation %i by transaction %s",
    (snapshot, generation, txid, after) => {
      assert.strictEqual(isAfter(moment(snapshot), { generation, txid }), after)
    }
  )

  it.each([
    ["10:20:10,15", 2, "15", false],
    ["10:20:10,15", 2, "19", false],
    ["10:20:10,15", 2, "20", true],
    ["10:20:10,15", 1, "99", false],
    ["10:20:10,15", 3, "1", true]
  ] as const)(
    "at %s in generation %i by transaction %s may be followed by older ones",
    (text, generation, txid, beyond) => {
      assert.strictEqual(isBeyond(moment(text), { generation, txid }), beyond)
    }
  )
})
