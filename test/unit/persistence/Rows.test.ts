import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { toTimestamp } from "../../../src/persistence/shared/Rows.ts"

it("instants are written as ISO 8601 in UTC with milliseconds", () => {
  const instants = fc.date({
    min: new Date("0000-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true
  })
  fc.assert(
    fc.property(instants, (instant) => {
      assert.strictEqual(toTimestamp(instant), instant.toISOString())
    }),
    { numRuns: 10_000 }
  )
})

it("the ends of a day, before and after 1970", () => {
  for (const day of ["1969-12-31", "1970-01-01", "2000-02-29", "2026-11-22"]) {
    for (const time of ["00:00:00.000", "00:00:59.999", "23:59:59.999", "12:34:56.007"]) {
      const text = `${day}T${time}Z`
      assert.strictEqual(toTimestamp(new Date(text)), text)
    }
  }
})
