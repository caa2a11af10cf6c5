import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { between, evenly, isRoomy } from "../../../src/domain/library/SiblingOrder.ts"

/** As the database compares them. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const assertBetween = (low: string | undefined, place: string, high: string | undefined) => {
  assert.match(place, /^[0-9A-Za-z]*[1-9A-Za-z]$/)
  if (low !== undefined) assert.isBelow(byBytes(low, place), 0, `${low} < ${place}`)
  if (high !== undefined) assert.isBelow(byBytes(place, high), 0, `${place} < ${high}`)
}

/** Puts one after another into a list, each at a gap of it. */
const build = (gaps: ReadonlyArray<number>) => {
  const places: Array<string> = []
  for (const gap of gaps) {
    const at = gap % (places.length + 1)
    const place = between(places[at - 1], places[at])
    assertBetween(places[at - 1], place, places[at])
    places.splice(at, 0, place)
  }
  return places
}

describe("the places of siblings", () => {
  it("have room between them, wherever pages were put before", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1000 }), { maxLength: 200 }), (gaps) => {
        const places = build(gaps)
        assert.deepStrictEqual(places.toSorted(byBytes), places)
        assert.strictEqual(new Set(places).size, places.length)
      }),
      { numRuns: 200 }
    )
  })

  it.each([
    ["at the end", (count: number) => count, 4],
    ["at the beginning", () => 0, 4],
    ["always in the same gap", () => 1, 204]
  ] as const)("stay short when a thousand are put %s", (_where, gapOf, longest) => {
    const places = build(Array.from({ length: 1000 }, (_, count) => gapOf(count)))
    for (const place of places) assert.isAtMost(place.length, longest)
  })

  it("become too long in the same gap at last, and there is room again among new ones", () => {
    let [low, high] = [between(undefined, undefined), ""]
    high = between(low, undefined)
    let count = 0
    for (let place = high; isRoomy(place); count++) {
      place = between(low, high)
      high = place
    }
    assert.isAbove(count, 900)
    const [first, second] = evenly(2)
    assertBetween(first, between(first, second), second)
    assert.isTrue(isRoomy(between(first, second)))
    assert.isFalse(isRoomy("1".repeat(201)))
    assert.isTrue(isRoomy("1".repeat(200)))
  })

  it.each([1, 2, 3, 100, 2000])("are %i evenly far from each other", (count) => {
    const places = evenly(count)
    assert.strictEqual(places.length, count)
    assert.strictEqual(new Set(places).size, count)
    for (const [index, place] of places.entries()) {
      assertBetween(places[index - 1], place, places[index + 1])
      assert.strictEqual(place.length, 4)
    }
    assertBetween(undefined, between(undefined, places[0]), places[0])
    assertBetween(places.at(-1), between(places.at(-1), undefined), undefined)
  })

  it("are different for far more siblings than there are", () => {
    const places = evenly(200_000)
    assert.strictEqual(new Set(places).size, 200_000)
    assert.isTrue(places.every((place, index) => index === 0 || (places[index - 1] ?? "") < place))
    assert.isTrue(places.every((place) => place.length === 4 && !place.endsWith("0")))
  })

  it("of no siblings are none", () => {
    assert.deepStrictEqual(evenly(0), [])
  })

  it("go on after the last one that is counted", () => {
    const last = "zzzz"
    const places = Array.from({ length: 300 }).reduce<ReadonlyArray<string>>(
      (all) => [...all, between(all.at(-1), undefined)],
      [last]
    )
    for (const [index, place] of places.entries()) assertBetween(places[index - 1], place, undefined)
    const before = between(undefined, "0001")
    assertBetween(undefined, before, "0001")
  })
})
