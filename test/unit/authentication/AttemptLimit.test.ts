import { DateTime } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decideWait } from "../../../src/domain/authentication/AttemptLimit.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

describe("decideWait", () => {
  it.each([
    ["the first attempt", 1, 0, 0],
    ["the tenth attempt", 10, 0, 0],
    ["the eleventh in the same instant", 11, 0, 900],
    ["the eleventh a second later", 11, 1, 899],
    ["the eleventh a moment before the window ends", 11, 899.999, 1],
    ["the eleventh when it ends", 11, 900, 0],
    ["the thousandth in the same instant", 1000, 0, 900],
    ["the eleventh after it has ended", 11, 5000, 0]
  ])("%s waits", (_name, count, now, seconds) => {
    expect(decideWait({ count, since: at(0) }, at(now))).toBe(seconds)
  })

  it("is whole seconds, after which an attempt is accepted", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 2000, noNaN: true }),
        (count, now) => {
          const wait = decideWait({ count, since: at(0) }, at(now))
          expect(Number.isInteger(wait)).toBe(true)
          expect(wait).toBeGreaterThanOrEqual(0)
          expect(wait).toBeLessThanOrEqual(900)
          expect(wait > 0).toBe(count > 10 && Math.floor(now * 1000) < 900_000)
          expect(decideWait({ count, since: at(0) }, at(now + wait))).toBe(0)
        }
      )
    )
  })
})
