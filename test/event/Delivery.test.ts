import { Duration } from "effect"
import { expect, it } from "vitest"
import { decideNextTry } from "../../src/domain/event/EventConsumer.ts"

const secondsUntilNext = (tries: number) => {
  const next = decideNextTry(tries)
  return next._tag === "Park" ? "parked" : Duration.toSeconds(next.after)
}

it("an event is tried five times, with growing pauses, and then parked", () => {
  expect([1, 2, 3, 4, 5].map(secondsUntilNext)).toEqual([1, 5, 25, 125, "parked"])
})

it("an event that is tried more often, as a pause was ignored, stays parked", () => {
  expect([6, 7, 100].map(secondsUntilNext)).toEqual(["parked", "parked", "parked"])
})
