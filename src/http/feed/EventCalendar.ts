/** Events of the forum as a calendar. */
import type { EventLocation } from "../../domain/calendar/Location.ts"
import { type CalendarFeed, type FeedEvent, refreshHours } from "../../domain/feed/EventFeed.ts"
import { component, instant, property, textProperty } from "./ICalendar.ts"

export const calendarType = "text/calendar; charset=utf-8"

const placeOf = (location: EventLocation): ReadonlyArray<string> => {
  const { name, url } = location
  if (location.location_type === "virtual") {
    return [
      textProperty("LOCATION", name),
      ...(url === undefined ? [] : [property("CONFERENCE;VALUE=URI", url)])
    ]
  }
  const { address, latitude, longitude } = location
  return [
    textProperty("LOCATION", address === undefined ? name : `${name}, ${address}`),
    ...(latitude === undefined || longitude === undefined
      ? []
      : [property("GEO", `${latitude};${longitude}`)])
  ]
}

/** How often an event was changed, about: a number that grows with each change (RFC 5545, 3.8.7.4). */
const sequenceOf = ({ createdAt, updatedAt }: FeedEvent["event"]): number =>
  Math.max(0, Math.floor((Date.parse(updatedAt) - Date.parse(createdAt)) / 1000))

const eventText = ({ address, event, isCertain, uid }: FeedEvent): string => {
  const start = instant(event.time_range.start)
  const end = instant(event.time_range.end)
  return component("VEVENT", [
    property("UID", uid),
    property("DTSTAMP", instant(event.updatedAt)),
    property("CREATED", instant(event.createdAt)),
    property("LAST-MODIFIED", instant(event.updatedAt)),
    property("SEQUENCE", String(sequenceOf(event))),
    property("DTSTART", start),
    // One that ends as it starts has no end here, which would have to be later.
    ...(end > start ? [property("DTEND", end)] : []),
    textProperty("SUMMARY", event.name),
    ...(event.description === "" ? [] : [textProperty("DESCRIPTION", event.description)]),
    ...(event.location === null ? [] : placeOf(event.location)),
    property("STATUS", isCertain ? "CONFIRMED" : "TENTATIVE"),
    property("URL", address)
  ])
}

/** A calendar has to have a component, so that one without events says which time it is in. */
const utc = component("VTIMEZONE", [
  property("TZID", "Etc/UTC"),
  component("STANDARD", [
    property("DTSTART", "19700101T000000"),
    property("TZOFFSETFROM", "+0000"),
    property("TZOFFSETTO", "+0000")
  ])
])

export const calendarText = ({ events, title }: CalendarFeed): string =>
  component("VCALENDAR", [
    property("VERSION", "2.0"),
    property("PRODID", "-//forum-service//feeds//EN"),
    property("CALSCALE", "GREGORIAN"),
    textProperty("NAME", title),
    textProperty("X-WR-CALNAME", title),
    property("REFRESH-INTERVAL;VALUE=DURATION", `PT${refreshHours}H`),
    ...(events.length === 0 ? [utc] : events.map(eventText))
  ])
