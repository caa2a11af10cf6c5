/** What the description says of a text that a rule follows refuses nothing that the rule accepts, and most of what it refuses. */
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { NewCalendarEvent } from "../../../src/domain/calendar/CalendarEvent.ts"
import * as Text from "../../../src/domain/field/Text.ts"
import { NodeName, NodeSlug } from "../../../src/domain/library/Node.ts"
import { NodeVersionStatusChange } from "../../../src/domain/library/NodeVersion.ts"
import { timeRangeQuery } from "../../../src/domain/shared/TimeRange.ts"
import { mismatches } from "../../support/conformance.ts"

const slugs = {
  accepted: ["a", "a-b", "a_b", "a__b", "a-_-b", "1", "\u00f6l-2", "\u5b66\u4e60", "\u{10348}"],
  refused: ["", "-a", "a-", "_a", "A", "a b", "a.b", "a/b", "a?", "\u00a0a", "a\n"]
}

const day = "2026-02-28"

const cases = [
  [
    "a name",
    NodeName,
    { accepted: ["a", " \u00fc ", "\u{10348}"], refused: ["", " ", "\t\n", "\u00a0\u2003"] }
  ],
  [
    "lines",
    Text.visibleLines({ max: 20, description: "x" }),
    { accepted: ["a\nb", "\n."], refused: ["", "\n \n", "\u3000"] }
  ],
  ["the slug of a page", NodeSlug, slugs],
  ["the slug of an event", NewCalendarEvent.fields.slug.schema, slugs],
  [
    "a range of time",
    timeRangeQuery("x"),
    {
      accepted: [day, `${day}/`, `/${day}`, `${day}/${day}`, `${day}T10:00Z/${day}T10:00:00.5+01:00`],
      refused: [
        "",
        "/",
        "x",
        `${day}/x`,
        `${day}//`,
        `${day}T10:00`,
        `${day}/${day}/${day}`,
        "2026-2-1",
        ` ${day}`
      ]
    }
  ]
] as const

const isTaken = (schema: Schema.Decoder<unknown>, value: unknown) =>
  Effect.runSync(
    Effect.match(Schema.decodeUnknownEffect(schema)(value), { onFailure: () => false, onSuccess: () => true })
  )

const isDescribed = (schema: Schema.Top, value: unknown) =>
  mismatches(JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(schema).schema)), value).length === 0

describe("the description of", () => {
  it.each(cases)("%s is its rule", (_name, schema, { accepted, refused }) => {
    for (const text of accepted)
      expect([text, isTaken(schema, text), isDescribed(schema, text)]).toEqual([text, true, true])
    for (const text of refused)
      expect([text, isTaken(schema, text), isDescribed(schema, text)]).toEqual([text, false, false])
  })

  it("the status that a version can be given has one value", () => {
    for (const [status, expected] of [
      ["applied", true],
      ["draft", false]
    ] as const) {
      expect(isTaken(NodeVersionStatusChange, { status })).toBe(expected)
      expect(isDescribed(NodeVersionStatusChange.fields.status, status)).toBe(expected)
    }
  })
})
