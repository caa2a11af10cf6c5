import { DateTime, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { ScheduledKey } from "../../../src/domain/signing/SigningKey.ts"
import {
  decideRotation,
  findSigner,
  publishedKeys,
  RotationUnderWay
} from "../../../src/domain/signing/SigningKeyRules.ts"

const start = DateTime.makeUnsafe("2026-01-01T12:00:00Z")
const minutes = (count: number) => DateTime.add(start, { minutes: count })

const tokenSeconds = 15 * 60

/** A key that begins to sign so many minutes after the start. */
const key = (generation: number, begins: number): ScheduledKey => ({
  kid: `key${generation}`,
  n: "n",
  e: "AQAB",
  generation,
  signsFrom: minutes(begins)
})

describe("which key signs and which are published", () => {
  const first = key(1, 0)
  const second = key(2, 60)
  const third = key(3, 200)

  // A rotation at the start: the second key signs an hour later; the last token of the first expires 15 minutes
  // afterwards, and clocks may be a minute apart.
  const cases: ReadonlyArray<
    readonly [
      says: string,
      keys: ReadonlyArray<ScheduledKey>,
      minute: number,
      signer: string | undefined,
      published: ReadonlyArray<string>
    ]
  > = [
    ["no key", [], 0, undefined, []],
    ["one key", [first], 0, "key1", ["key1"]],
    ["one key, years later", [first], 5_000_000, "key1", ["key1"]],
    ["one key that a clock ahead has made", [first], -2, "key1", ["key1"]],
    ["a rotation that was just asked for", [first, second], 0, "key1", ["key1", "key2"]],
    ["a millisecond before the next key signs", [first, second], 60 - 1 / 60_000, "key1", ["key1", "key2"]],
    ["the moment from which the next key signs", [first, second], 60, "key2", ["key1", "key2"]],
    ["the last minute of a token of the key before", [first, second], 75.99, "key2", ["key1", "key2"]],
    ["a token of the key before, no longer valid by any clock", [first, second], 76, "key2", ["key2"]],
    ["two rotations, the first of which is over", [first, second, third], 150, "key2", ["key2", "key3"]],
    ["two rotations, both over", [first, second, third], 300, "key3", ["key3"]],
    ["keys in another order", [third, first, second], 60, "key2", ["key1", "key2", "key3"]],
    ["two keys that none has begun of", [second, third], 0, "key2", ["key2", "key3"]]
  ]

  it.each(cases)("%s", (_, keys, minute, signer, published) => {
    const at = DateTime.add(start, { milliseconds: Math.round(minute * 60_000) })
    expect(findSigner(keys, at)?.kid).toBe(signer)
    expect(publishedKeys(keys, at, tokenSeconds).map(({ kid }) => kid)).toEqual(published)
  })

  it("publishes the key that signs, and every key whose token may still be valid, at any time", () => {
    const keys = [first, second, third]
    for (let minute = -10; minute < 400; minute += 0.5) {
      const at = DateTime.add(start, { seconds: minute * 60 })
      const published = publishedKeys(keys, at, tokenSeconds)
      expect(published).toContain(findSigner(keys, at))
      const earlier = findSigner(keys, DateTime.subtract(at, { seconds: tokenSeconds }))
      expect(published).toContain(earlier)
    }
  })
})

describe("a rotation", () => {
  it.each([
    ["without a key, signs at once", [], 5, 5],
    ["with one key, signs in an hour", [key(1, 0)], 5, 65],
    ["after another one that is over, signs in an hour", [key(1, 0), key(2, 60)], 60, 120]
  ] as const)("%s", (_, keys, minute, expected) => {
    expect(decideRotation(keys, minutes(minute))).toEqual(Result.succeed(minutes(expected)))
  })

  it("is refused while the next key has not begun", () => {
    expect(decideRotation([key(1, 0), key(2, 60)], minutes(59))).toEqual(Result.fail(new RotationUnderWay()))
  })
})
