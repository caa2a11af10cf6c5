import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isEventSlug, slugLength } from "../../../src/domain/calendar/CalendarEvent.ts"
import {
  mayManage,
  maySee,
  readableBy,
  signaturesMax,
  slugOfName,
  withinSignatures
} from "../../../src/domain/calendar/CalendarRules.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import { isInstant } from "../../../src/domain/shared/Instant.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import { Visibility } from "../../../src/domain/shared/Visibility.ts"

const freya = AccountId.make("f".repeat(20))

const account = (suspended: boolean, ...permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Account",
  accountId: freya,
  permissions: new Set(permissions),
  suspended,
  credential: "cookie"
})

const actors = {
  guest: { _tag: "Guest", permissions: new Set<Permission>(["MANAGE_EVENTS"]) },
  member: account(false, "CREATE_POST", "MANAGE_POSTS"),
  manager: account(false, "MANAGE_EVENTS"),
  administrator: account(false, "ADMINISTRATOR"),
  suspended: account(true, "ADMINISTRATOR")
} satisfies Record<string, Actor>

const all = Visibility.literals
const published = ["published"]
const toParticipants = ["unlisted", "published"]

describe("maySee", () => {
  it.each([
    ["guest", undefined, published],
    ["member", undefined, published],
    ["member", "attendee", toParticipants],
    ["member", "host", all],
    ["manager", undefined, all],
    ["manager", "attendee", all],
    ["administrator", undefined, all],
    ["suspended", undefined, published],
    ["suspended", "host", published]
  ] as const)("for a %s who is %s", (who, callerRole, expected) => {
    const seen = all.filter((visibility) => maySee({ visibility, callerRole }, actors[who]))
    expect(seen).toEqual(expected)
    expect(readableBy(actors[who])[callerRole ?? "others"]).toEqual(expected)
  })

  it("knows a suspended account as nobody", () => {
    expect(readableBy(actors.suspended).viewer).toBe(undefined)
    expect(readableBy(actors.member).viewer).toBe(freya)
  })
})

describe("mayManage", () => {
  it.each([
    ["member", undefined, false],
    ["member", "attendee", false],
    ["member", "host", true],
    ["manager", undefined, true],
    ["administrator", "attendee", true]
  ] as const)("for a %s who is %s is %s", (who, callerRole, expected) => {
    expect(mayManage({ visibility: "published", callerRole }, actors[who])).toBe(expected)
  })
})

const id = "0123456789abcdefghig"

describe("slugOfName", () => {
  it("is a slug, or the id where nothing is left", () => {
    const name = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[0-9a-v]{20}[ -]?[a-z]*$/))
    fc.assert(
      fc.property(name, (text) => {
        const slug = slugOfName(text, id)
        expect(slug === id || (isEventSlug(slug) && [...slug].length <= slugLength)).toBe(true)
      })
    )
    expect(slugOfName("🦋", id)).toBe(id)
    expect(slugOfName("Straßenfest 2030!", id)).toBe("straßenfest-2030")
  })
})

describe("withinSignatures", () => {
  const one = (name: string, signature?: string) => ({
    profile: { name, ...(signature === undefined ? {} : { signature }) }
  })

  it("leaves out those for which there is no room, in their order", () => {
    const long = "x".repeat(signaturesMax / 2)
    const shown = withinSignatures([
      [one("a", long), one("b")],
      [one("c", long), one("d", "y"), one("e")]
    ])
    expect(shown).toEqual([
      [one("a", long), one("b")],
      [one("c", long), one("d"), one("e")]
    ])
  })
})

describe("isInstant", () => {
  it.each([
    ["2030-01-01T00:00:00Z", true],
    ["2030-01-01T00:00:00.123456789+14:00", true],
    ["2028-02-29T23:59:59-00:00", true],
    ["2030-02-29T00:00:00Z", false],
    ["2030-01-01T24:00:01Z", false],
    ["2030-01-01T00:60:00Z", false],
    // Clocks of computers have no leap seconds.
    ["2016-12-31T23:59:60Z", false],
    ["2030-01-01T00:00:00+25:00", false],
    ["2030-01-01T00:00Z", false],
    [" 2030-01-01T00:00:00Z", false],
    ["2030-01-01T00:00:00Z\n", false],
    ["+012030-01-01T00:00:00Z", false]
  ])("of %j is %s", (text, expected) => {
    expect(isInstant(text)).toBe(expected)
  })
})
