import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import {
  IdempotencyAnswerWithheld,
  IdempotencyKeyInProgress,
  IdempotencyKeyReused,
  isIdempotencyKey,
  keptBodyMax,
  largeBodyMin,
  type WholeAnswer,
  type WithheldAnswer
} from "../../../src/domain/idempotency/IdempotencyKey.ts"
import { identityOf } from "../../../src/domain/idempotency/IdempotencyKeys.ts"
import {
  abandonedMinutes,
  decideLimits,
  decideRepeat,
  isKept,
  isLarge,
  keptAs,
  madeIdOf,
  secondsUntilTomorrow
} from "../../../src/domain/idempotency/IdempotencyRules.ts"

const whole: WholeAnswer = {
  _tag: "Whole",
  status: 201,
  contentType: "application/json",
  location: "/api/things/1",
  etag: '"1"',
  body: new Uint8Array([123, 125])
}
const withheld: WithheldAnswer = { _tag: "Withheld", status: 200, madeId: "one" }

describe("a key", () => {
  it.each([
    ["a", true],
    ["!", true],
    ["~", true],
    ["7c9e6679-7425-40de-944b-e07fc1f90afe", true],
    ['"quoted"', true],
    ["a".repeat(255), true],
    ["a".repeat(256), false],
    ["", false],
    [" ", false],
    ["a b", false],
    ["a ", false],
    ["a\n", false],
    ["a\t", false],
    ["\u0000", false],
    ["\u007f", false],
    ["é", false],
    ["\ufeffa", false]
  ])("%j", (text, isOne) => {
    assert.strictEqual(isIdempotencyKey(text), isOne)
  })
})

describe("a request", () => {
  it("is the same as another only if its method, address and body are", () => {
    const requests = [
      ["POST", "/api/a", ""],
      ["PUT", "/api/a", ""],
      ["POST", "/api/a?b", ""],
      ["POST", "/api/a", "?b"],
      ["POST", '/api/a"]', ""],
      ["POST", "/api/a", '"]'],
      ["POST", "/api", "/a"],
      ["POST", "/api/a", " "]
    ] as const
    const identities = requests.map(([method, address, body]) =>
      new TextDecoder().decode(identityOf({ method, address, body }))
    )
    assert.strictEqual(new Set(identities).size, requests.length)
    assert.deepStrictEqual(
      identityOf({ method: "POST", address: "/api/a", body: "b" }),
      identityOf({ method: "POST", address: "/api/a", body: "b" })
    )
  })
})

describe("a request whose key is used", () => {
  const running = new IdempotencyKeyInProgress({ metadata: { retry_after: 1 } })
  const of = (found: Parameters<typeof decideRepeat>[0]) => Result.merge(decideRepeat(found))

  it.each([
    ["of which nothing is known yet", undefined, running],
    ["by itself, and is still being handled", { isSameRequest: true, answer: undefined }, running],
    ["by itself, and was answered", { isSameRequest: true, answer: whole }, whole],
    [
      "by another that is being handled",
      { isSameRequest: false, answer: undefined },
      new IdempotencyKeyReused()
    ],
    ["by another that was answered", { isSameRequest: false, answer: whole }, new IdempotencyKeyReused()],
    ["by another with a secret", { isSameRequest: false, answer: withheld }, new IdempotencyKeyReused()],
    [
      "by itself, with an answer that is not told again",
      { isSameRequest: true, answer: withheld },
      new IdempotencyAnswerWithheld({ metadata: { status: 200, id: "one" } })
    ],
    [
      "by itself, with such an answer, and made nothing with an id",
      { isSameRequest: true, answer: { ...withheld, status: 204, madeId: undefined } },
      new IdempotencyAnswerWithheld({ metadata: { status: 204 } })
    ]
  ] as const)("%s", (_, found, expected) => {
    assert.deepStrictEqual(of(found), expected)
  })
})

describe("an answer is kept", () => {
  it.each([
    [200, true],
    [201, true],
    [204, true],
    [302, true],
    [400, true],
    [401, false],
    [402, true],
    [403, true],
    [404, true],
    [405, true],
    [408, false],
    [409, true],
    [410, true],
    [411, false],
    [412, true],
    [413, false],
    [415, false],
    [422, true],
    [429, false],
    [431, false],
    [499, true],
    [500, false],
    [502, false],
    [503, false],
    [504, false],
    [507, false]
  ])("%i: %s, and never of a malformed request", (status, expected) => {
    assert.strictEqual(isKept(status, false), expected)
    assert.isFalse(isKept(status, true))
  })
})

describe("what was made", () => {
  it.each([
    [{ id: "one" }, "one"],
    [{ id: "one", account: { id: "other" } }, "one"],
    [{ secret: "s", client: { id: "one" } }, "one"],
    [{ first: { id: "one" }, second: { id: "other" } }, "one"],
    [{ first: { name: "x" }, second: { id: "one" } }, "one"],
    [{ first: null, second: { id: "one" } }, "one"],
    [{ id: 1 }, undefined],
    [{ id: 1, account: { id: "one" } }, "one"],
    [{ deep: { deeper: { id: "one" } } }, undefined],
    [{ things: [{ id: "one" }] }, undefined],
    [[], undefined],
    [{}, undefined],
    [null, undefined],
    ["id", undefined],
    [undefined, undefined]
  ])("%j: %s", (answer, expected) => {
    assert.strictEqual(madeIdOf(answer), expected)
  })
})

describe("an answer is kept as", () => {
  const parsed = () => ({ id: "one" })
  const ofLength = (length: number): WholeAnswer => ({ ...whole, body: new Uint8Array(length) })
  const named = (length: number): WholeAnswer => ({ ...ofLength(length), madeId: "one" })
  const instead: WithheldAnswer = { _tag: "Withheld", status: 201, madeId: "one" }

  it.each([
    ["what it is", ofLength(2), false, ofLength(2)],
    ["what it is, without a body", ofLength(0), false, ofLength(0)],
    ["what it is, if it is not large", ofLength(largeBodyMin), false, ofLength(largeBodyMin)],
    [
      "what it is and what was made, a byte longer",
      ofLength(largeBodyMin + 1),
      false,
      named(largeBodyMin + 1)
    ],
    ["what it is and what was made, as long as may be", ofLength(keptBodyMax), false, named(keptBodyMax)],
    ["that it was given, a byte longer", ofLength(keptBodyMax + 1), false, instead],
    ["that it was given, with a secret", ofLength(2), true, instead]
  ] as const)("%s", (_, answer, showsSecret, expected) => {
    assert.deepStrictEqual(keptAs(answer, showsSecret, parsed), expected)
  })

  it("large if there may be no room for it", () => {
    assert.deepStrictEqual([largeBodyMin, largeBodyMin + 1].map(ofLength).map(isLarge), [false, true])
  })

  it("what it is without its body being read", () => {
    assert.strictEqual(
      keptAs(whole, false, () => assert.fail("It was parsed")),
      whole
    )
  })
})

describe("the limits of a moment", () => {
  it("are when claims were abandoned and keys expired", () => {
    const { abandoned, expired } = decideLimits(DateTime.makeUnsafe("2026-03-01T00:05:00Z"))
    assert.strictEqual(abandonedMinutes, 10)
    assert.strictEqual(DateTime.formatIso(abandoned), "2026-02-28T23:55:00.000Z")
    assert.strictEqual(DateTime.formatIso(expired), "2026-02-28T00:05:00.000Z")
  })
})

describe("the seconds until tomorrow", () => {
  it.each([
    ["2026-11-26T00:00:00.000Z", 86_400],
    ["2026-11-26T00:00:00.999Z", 86_400],
    ["2026-11-26T00:00:01.000Z", 86_399],
    ["2026-11-26T12:00:00.000Z", 43_200],
    ["2026-11-26T23:59:59.000Z", 1],
    ["2026-11-26T23:59:59.999Z", 1]
  ])("at %s: %i", (at, expected) => {
    assert.strictEqual(secondsUntilTomorrow(DateTime.makeUnsafe(at)), expected)
  })
})
