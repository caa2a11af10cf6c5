import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type BucketCount, shapeOf, Window } from "../../../src/http/ratelimit/Window.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** A minute in six buckets of ten seconds. */
const shape = shapeOf(60, 10)

// The first millisecond of a bucket, and of an hour.
const start = 1_795_305_600_000

const at = (seconds: number) => start + seconds * second

describe("the buckets", () => {
  it.each([
    [3_600, 60, { period: hour, bucket: minute, buckets: 60 }],
    [60, 10, { period: minute, bucket: 10 * second, buckets: 6 }],
    // Those that do not fit into the period become a little shorter.
    [60, 25, { period: minute, bucket: 20 * second, buckets: 3 }],
    [60, 60, { period: minute, bucket: minute, buckets: 1 }],
    [60, 3_600, { period: minute, bucket: minute, buckets: 1 }],
    [1, 1, { period: second, bucket: second, buckets: 1 }],
    // More than 120 would take too much memory.
    [3_600, 1, { period: hour, bucket: 30 * second, buckets: 120 }],
    [2_592_000, 1, { period: 720 * hour, bucket: 6 * hour, buckets: 120 }]
  ])("of %d seconds in %d seconds", (period, bucket, expected) => {
    assert.deepStrictEqual(shapeOf(period, bucket), expected)
  })
})

describe("a window", () => {
  it("counts what was used in the period, and answers the total with what is added", () => {
    const window = new Window(shape, at(0))
    assert.strictEqual(window.total(at(0)), 0)
    assert.strictEqual(window.add(2, at(0)), 2)
    assert.strictEqual(window.add(3, at(9.999)), 5)
    assert.strictEqual(window.add(1, at(10)), 6)
    assert.strictEqual(window.add(0, at(10)), 6)
    assert.strictEqual(window.total(at(59.999)), 6)
  })

  it("forgets the oldest bucket evenly while it leaves the period", () => {
    const window = new Window(shape, at(0))
    window.add(100, at(0))
    window.add(10, at(10))
    assert.strictEqual(window.total(at(60)), 110)
    assert.strictEqual(window.total(at(62.5)), 85)
    assert.strictEqual(window.total(at(65)), 60)
    assert.closeTo(window.total(at(69.999)), 10.01, 1e-6)
    assert.strictEqual(window.total(at(70)), 10)
    assert.strictEqual(window.total(at(75)), 5)
    assert.strictEqual(window.total(at(80)), 0)
  })

  it("is empty after a pause of any length", () => {
    for (const pause of [70, 71, 600, 86_400]) {
      const window = new Window(shape, at(0))
      window.add(7, at(0))
      assert.strictEqual(window.total(at(pause)), 0, `${pause}`)
      assert.strictEqual(window.add(1, at(pause)), 1)
    }
  })

  it("counts on when the clock is corrected by a little, and begins anew when it is set back", () => {
    const window = new Window(shape, at(0))
    window.add(5, at(30))
    assert.strictEqual(window.add(1, at(29.9)), 6)
    assert.strictEqual(window.add(1, at(20)), 7)
    assert.strictEqual(window.add(1, at(-3_600)), 1)
    assert.strictEqual(window.total(at(-3_600)), 1)
  })

  it("counts no more than it can hold", () => {
    const window = new Window(shape, at(0))
    for (let n = 0; n < 10; n++) window.add(1_000_000_000, at(0))
    assert.strictEqual(window.total(at(0)), 2 ** 32 - 1)
    assert.strictEqual(window.total(at(70)), 0)
  })

  it("is empty from when the current bucket has left the period", () => {
    const window = new Window(shape, at(0))
    window.add(1, at(3))
    assert.strictEqual(window.emptyFrom, at(70))
    window.add(1, at(10))
    assert.strictEqual(window.emptyFrom, at(80))
  })

  it.each([
    // Nothing has to leave.
    [6, 15, 15],
    [3.5, 15, 15],
    [3, 15, 60],
    [2.5, 15, 62.5],
    [2, 15, 65],
    // Some of it has left already.
    [2, 62.5, 65],
    [2, 66, 66],
    // All of the first bucket has to leave, and then some of the second one.
    [1, 15, 70],
    [0.5, 15, 75],
    // Nothing is less than nothing.
    [0, 15, 80]
  ])("is below %d, at %d seconds, from %d seconds on", (most, now, expected) => {
    const window = new Window(shape, at(0))
    window.add(2, at(0))
    window.add(1, at(10))
    assert.strictEqual(window.belowFrom(most, at(now)), at(expected))
  })

  it("is not below what is left when a whole bucket has left, but for the next one that leaves", () => {
    const window = new Window(shape, start)
    for (const [time, cost] of [
      [1943, 1],
      [23_832, 4],
      [44_498, 9],
      [60_807, 46]
    ] as const) {
      window.add(cost, start + time)
    }
    assert.strictEqual(window.belowFrom(59, start + 60_807), at(80))
  })

  it("answers the same as a sum over all that happened", () => {
    const event = fc.tuple(fc.integer({ min: 0, max: 25_000 }), fc.integer({ min: 0, max: 50 }))
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 60 }), (events, most) => {
        const window = new Window(shape, start)
        const happened: Array<readonly [time: number, cost: number]> = []
        let now = start
        const expected = () => {
          const bucket = Math.floor(now / shape.bucket)
          return happened.reduce((sum, [time, cost]) => {
            const age = bucket - Math.floor(time / shape.bucket)
            if (age > shape.buckets) return sum
            return (
              sum + (age === shape.buckets ? cost * (1 - (now - bucket * shape.bucket) / shape.bucket) : cost)
            )
          }, 0)
        }
        for (const [pause, cost] of events) {
          now += pause
          happened.push([now, cost])
          assert.closeTo(window.add(cost, now), expected(), 1e-6)
        }
        const from = window.belowFrom(most, now)
        assert.isTrue(from === now || window.total(from - 2) >= most - 1e-6)
        assert.isBelow(window.total(Math.floor(from) + 2), most)
      })
    )
  })
})

describe("a window that others share", () => {
  const told = (...counts: ReadonlyArray<BucketCount>) => counts
  const number = start / shape.bucket

  it("tells what was counted once", () => {
    const window = new Window(shape, at(0), true)
    window.add(2, at(0))
    window.add(3, at(10))
    assert.deepStrictEqual(window.takeUntold(), told([number, 2], [number + 1, 3]))
    assert.deepStrictEqual(window.takeUntold(), told())
    window.add(1, at(10))
    assert.deepStrictEqual(window.takeUntold(), told([number + 1, 1]))
  })

  it("tells again what could not be told, unless it has left the period", () => {
    const window = new Window(shape, at(0), true)
    window.add(2, at(0))
    const counts = window.takeUntold()
    window.add(1, at(1))
    window.putBack(counts)
    assert.deepStrictEqual(window.takeUntold(), told([number, 3]))
    window.putBack(counts)
    window.add(1, at(70))
    window.putBack(counts)
    assert.deepStrictEqual(window.takeUntold(), told([number + 7, 1]))
  })

  it("takes over what others have counted, and keeps what was counted meanwhile", () => {
    const window = new Window(shape, at(0), true)
    window.add(2, at(0))
    window.takeUntold()
    window.add(1, at(10))
    window.takeOver(told([number - 9, 100], [number, 5], [number + 1, 7], [number + 2, 50]))
    assert.strictEqual(window.total(at(10)), 5 + 7 + 1)
    assert.deepStrictEqual(window.takeUntold(), told([number + 1, 1]))
    assert.strictEqual(window.total(at(70)), 8)
  })

  it("forgets nothing because others have", () => {
    const window = new Window(shape, at(0), true)
    window.add(2, at(0))
    window.takeUntold()
    window.takeOver([])
    assert.strictEqual(window.total(at(0)), 2)
  })

  it("tells nothing if nobody shares it", () => {
    const window = new Window(shape, at(0))
    window.add(2, at(0))
    assert.deepStrictEqual(window.takeUntold(), told())
  })
})
