import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import ICAL from "ical.js"
import { component, textProperty } from "../../../src/http/feed/ICalendar.ts"
import { eventsIn } from "../../feed/calendars.ts"

/** What of a text may stand in a calendar, with one kind of line ends. */
const allowed = (text: string) =>
  Array.from(text.replace(/\r\n?/g, "\n"))
    .filter((character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 0x20) return code === 0x9 || code === 0xa
      return code !== 0x7f && (code < 0xd800 || code > 0xdfff)
    })
    .join("")

const calendarWith = (text: string) =>
  component("VCALENDAR", [
    "VERSION:2.0\r\n",
    "PRODID:-//test\r\n",
    component("VEVENT", ["UID:1\r\n", "DTSTAMP:20300101T000000Z\r\n", textProperty("SUMMARY", text)])
  ])

describe("a written calendar", () => {
  it("says what it was given, in lines of 75 octets at most", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom(
          ..."a,;:\\n\n\r\t\0\u007f\u0085\u2028é€",
          "😀",
          "\ud800",
          "\\n",
          "\r\n",
          "BEGIN:VEVENT"
        ),
        maxLength: 300
      })
    )
    fc.assert(
      fc.property(text, (given) => {
        const [found] = eventsIn(calendarWith(given).replaceAll("\ufffd", "?"))
        assert.strictEqual(found?.event.summary ?? "", allowed(given).replaceAll("\ufffd", "?"))
      }),
      { numRuns: 1000 }
    )
  })

  it("is folded as late as it may be", () => {
    const [first = "", second = ""] = textProperty("SUMMARY", "a".repeat(200)).split("\r\n")
    assert.lengthOf(first, 75)
    assert.lengthOf(second, 75)
    assert.strictEqual(ICAL.parse(calendarWith("a".repeat(200)))[0], "vcalendar")
  })
})
