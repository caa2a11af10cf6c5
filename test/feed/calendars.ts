/** Reading calendars with a parser that others wrote. */
import { assert } from "@effect/vitest"
import ICAL from "ical.js"
import type { Answer } from "../support/answers.ts"

/** The events in the text of a calendar, of which every line has a length and an end as the standard says. */
export const eventsIn = (text: string) => {
  assert.isTrue(text.endsWith("\r\n"))
  for (const line of text.slice(0, -2).split("\r\n")) {
    assert.isAtMost(Buffer.byteLength(line), 75, line)
    assert.notMatch(line, /[\r\n]/)
    assert.isTrue(line.isWellFormed())
  }
  const calendar = new ICAL.Component(ICAL.parse(text))
  assert.strictEqual(calendar.name, "vcalendar")
  assert.strictEqual(calendar.getFirstPropertyValue("version"), "2.0")
  assert.isString(calendar.getFirstPropertyValue("prodid"))
  // A calendar without any component is none.
  assert.isNotEmpty(calendar.getAllSubcomponents())
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component)
    assert.isNotNull(component.getFirstPropertyValue("dtstamp"))
    return { event, component }
  })
}

/** The events in an answer. */
export const eventsOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  assert.strictEqual(answer.headers["content-type"], "text/calendar; charset=utf-8")
  return eventsIn(answer.text)
}

export const namesOf = (answer: Answer): ReadonlyArray<string> =>
  eventsOf(answer).map(({ event }) => event.summary)
