import { expect, it } from "vitest"
import { makeFreshness } from "../../../src/domain/oauthdocument/Freshness.ts"

it("is known of a document until its time is over", () => {
  const freshness = makeFreshness()
  expect(freshness.isFresh("a", 0)).toBe(false)
  freshness.note("a", 10, 0)
  expect([0, 9, 10].map((now) => freshness.isFresh("a", now))).toEqual([true, true, false])
})

it("ends where the document says so when it is fetched again", () => {
  const freshness = makeFreshness()
  freshness.note("a", 10, 0)
  freshness.note("a", 5, 5)
  expect(freshness.isFresh("a", 6)).toBe(false)
})

it("is known of so many documents, of which the one gives way that was fetched longest ago", () => {
  const freshness = makeFreshness(2)
  const known = () => ["a", "b", "c"].filter((one) => freshness.isFresh(one, 5))
  freshness.note("a", 10, 0)
  freshness.note("b", 10, 1)
  freshness.note("a", 10, 2)
  freshness.note("c", 10, 3)
  expect(known()).toEqual(["a", "c"])
  // One that is not fresh takes no room.
  freshness.note("b", 4, 4)
  expect(known()).toEqual(["a", "c"])
})

it("is known of 4,096 documents by default", () => {
  const freshness = makeFreshness()
  for (let n = 0; n <= 4096; n++) freshness.note(`${n}`, 10, 0)
  expect([0, 1, 4096].map((n) => freshness.isFresh(`${n}`, 1))).toEqual([false, true, true])
})
