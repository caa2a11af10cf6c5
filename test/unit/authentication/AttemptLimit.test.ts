import { DateTime } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decideWait } from "../../../src/domain/authentication/Attempt.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

const wait = (count: number, now: number) =>
  decideWait({ own: { count, since: at(0) }, strangers: undefined }, at(now))

describe("decideWait", () => {
  const strangersWait = (count: number, now: number) =>
    decideWait({ own: { count: 1, since: at(now) }, strangers: { count, since: at(0) } }, at(now))

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
    expect(wait(count, now)).toBe(seconds)
  })

  it.each([
    ["the hundredth of all strangers", 100, 0, 0],
    ["the next one", 101, 60, 840],
    ["the next one when the window ends", 101, 900, 0]
  ])("%s waits", (_name, count, now, seconds) => {
    expect(strangersWait(count, now)).toBe(seconds)
  })

  it("is the longer of both", () => {
    const own = { count: 11, since: at(5) }
    const strangers = { count: 101, since: at(9) }
    expect(decideWait({ own, strangers }, at(10))).toBe(899)
    expect(decideWait({ own: strangers, strangers: { ...own, count: 101 } }, at(10))).toBe(899)
  })

  it("is whole seconds, after which an attempt is accepted", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 2000, noNaN: true }),
        (count, now) => {
          const seconds = wait(count, now)
          expect(Number.isInteger(seconds)).toBe(true)
          expect(seconds).toBeGreaterThanOrEqual(0)
          expect(seconds).toBeLessThanOrEqual(900)
          expect(seconds > 0).toBe(count > 10 && Math.floor(now * 1000) < 900_000)
          expect(wait(count, now + seconds)).toBe(0)
        }
      )
    )
  })
})
