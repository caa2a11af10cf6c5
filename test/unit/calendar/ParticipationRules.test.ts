import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ParticipationPolicy, participationMax } from "../../../src/domain/calendar/Participant.ts"
import {
  type Counts,
  decideLeaving,
  decideParticipation,
  decideRemoval,
  decideRoom,
  notificationsFor,
  type Participation
} from "../../../src/domain/calendar/ParticipationRules.ts"
import type { CalendarParticipationChanged } from "../../../src/domain/event/CalendarEvents.ts"
import { AccountId, CalendarEventId } from "../../../src/domain/shared/Id.ts"
import { ParticipantRole, ParticipationStatus } from "../../../src/domain/vocabulary/Participation.ts"

const roles = ParticipantRole.literals
const statuses = ParticipationStatus.literals

type Asked = ParticipationStatus | undefined
type Current = ParticipationStatus | "none"

// What becomes of members who ask for themselves: from each status, by what they ask for, in the order of
// `askings`. "-" is refused.
const askings: ReadonlyArray<Asked> = [undefined, ...statuses]
const a = "attending"
const r = "requested"
const i = "invited"
const d = "declined"
const no = "-"

const ofMembers: Readonly<Record<string, Readonly<Record<Current, ReadonlyArray<Current | "-">>>>> = {
  //         none named, requested, invited, attending, declined
  open: {
    none: [a, no, no, a, no],
    requested: [a, r, no, a, d],
    invited: [a, no, i, a, d],
    attending: [a, no, no, a, d],
    declined: [a, no, no, a, d]
  },
  invite_only: {
    none: [r, r, no, no, no],
    requested: [r, r, no, no, d],
    invited: [i, no, i, a, d],
    attending: [a, no, no, a, d],
    declined: [r, r, no, no, d]
  },
  closed: {
    none: [no, no, no, no, no],
    requested: [no, no, no, no, no],
    invited: [no, no, no, no, no],
    attending: [no, no, no, no, no],
    declined: [no, no, no, no, no]
  }
}

const currents: ReadonlyArray<Participation | undefined> = [
  undefined,
  ...roles.flatMap((role) => statuses.map((status) => ({ role, status })))
]

const reasonOf = (result: ReturnType<typeof decideParticipation>) =>
  Result.isFailure(result) ? result.failure.metadata.reason : undefined

const cases = ParticipationPolicy.literals.flatMap((policy) =>
  currents.flatMap((current) =>
    askings.flatMap((status) =>
      [undefined, ...roles].map((role) => ({
        policy,
        current,
        asked: { ...(status === undefined ? {} : { status }), ...(role === undefined ? {} : { role }) }
      }))
    )
  )
)

describe("decideParticipation", () => {
  it("has every case once", () => {
    expect(cases).toHaveLength(3 * 9 * 5 * 3)
  })

  it("lets hosts and staff set any role and status of others; what they do not name stays", () => {
    for (const { asked, current, policy } of cases) {
      const next = decideParticipation({ manages: true, isSelf: false }, policy, current, asked)
      expect(Result.getOrThrow(next)).toEqual({
        role: asked.role ?? current?.role ?? "attendee",
        status: asked.status ?? current?.status ?? "requested"
      })
    }
  })

  it("lets hosts and staff set any role and status of themselves; without a status they mean what members do", () => {
    for (const { asked, current, policy } of cases) {
      const next = decideParticipation({ manages: true, isSelf: true }, policy, current, asked)
      const [usual] =
        ofMembers[policy === "closed" ? "invite_only" : policy]?.[current?.status ?? "none"] ?? []
      expect(Result.getOrThrow(next)).toEqual({
        role: asked.role ?? current?.role ?? "attendee",
        status: asked.status ?? usual
      })
    }
  })

  it("lets nobody else change others", () => {
    for (const { asked, current, policy } of cases) {
      const next = decideParticipation({ manages: false, isSelf: false }, policy, current, asked)
      expect(reasonOf(next)).toBe("another")
    }
  })

  it("lets members change their own status as the table says, and never their role", () => {
    for (const { asked, current, policy } of cases) {
      const next = decideParticipation({ manages: false, isSelf: true }, policy, current, asked)
      const expected = ofMembers[policy]?.[current?.status ?? "none"][askings.indexOf(asked.status)]
      const about = JSON.stringify({ policy, current, asked })
      if (asked.role !== undefined) expect(reasonOf(next), about).toBe("role")
      else if (expected === no) expect(reasonOf(next), about).toBe(policy === "closed" ? "closed" : "status")
      else {
        expect(Result.getOrThrow(next), about).toEqual({
          role: current?.role ?? "attendee",
          status: expected
        })
      }
    }
  })

  it("changes nothing when the same is asked again", () => {
    for (const { asked, current, policy } of cases) {
      for (const changer of [
        { manages: true, isSelf: true },
        { manages: true, isSelf: false },
        { manages: false, isSelf: true }
      ]) {
        const once = decideParticipation(changer, policy, current, asked)
        if (Result.isFailure(once)) continue
        expect(decideParticipation(changer, policy, once.success, asked)).toEqual(once)
      }
    }
  })
})

describe("decideRemoval", () => {
  it.each([
    [true, true, true],
    [true, false, true],
    [false, true, true],
    [false, false, false]
  ])("with manages %s and isSelf %s is %s", (manages, isSelf, expected) => {
    expect(Result.isSuccess(decideRemoval({ manages, isSelf }))).toBe(expected)
  })
})

const room: Counts = { capacity: 2, participants: 5, hosts: 2, attending: 1 }

const of = (role: ParticipantRole, status: ParticipationStatus): Participation => ({ role, status })

describe("decideRoom", () => {
  const full = { ...room, attending: 2 }
  const problemOf = (
    counts: Counts,
    before: Participation | undefined,
    after: Participation
  ): string | undefined => {
    const decided = decideRoom(counts, before, after)
    return Result.isFailure(decided) ? decided.failure._tag : undefined
  }

  it.each([
    ["a new attendee", undefined, of("attendee", "attending"), "EventFull"],
    ["an invited attendee who attends", of("attendee", "invited"), of("attendee", "attending"), "EventFull"],
    ["a host who becomes an attendee", of("host", "attending"), of("attendee", "attending"), "EventFull"],
    ["an attendee who attends already", of("attendee", "attending"), of("attendee", "attending"), undefined],
    ["a new host", undefined, of("host", "attending"), undefined],
    ["an invitation", undefined, of("attendee", "invited"), undefined],
    ["a request", of("attendee", "declined"), of("attendee", "requested"), undefined],
    ["a host who becomes an invited attendee", of("host", "attending"), of("attendee", "invited"), undefined],
    ["an attendee who becomes host", of("attendee", "attending"), of("host", "attending"), undefined]
  ] as const)("of a full event for %s", (_, before, after, expected) => {
    expect(problemOf(full, before, after)).toBe(expected)
    expect(problemOf(room, before, after)).toBe(undefined)
    expect(problemOf({ ...full, capacity: undefined }, before, after)).toBe(undefined)
  })

  it("is for the limits of participants and hosts", () => {
    const crowded = { ...room, participants: participationMax.participants, capacity: undefined }
    expect(problemOf(crowded, undefined, of("attendee", "requested"))).toBe("TooManyParticipants")
    expect(problemOf(crowded, of("attendee", "requested"), of("host", "attending"))).toBe(undefined)
    const hosted = { ...room, hosts: participationMax.hosts }
    expect(problemOf(hosted, of("attendee", "attending"), of("host", "attending"))).toBe(
      "TooManyParticipants"
    )
    expect(problemOf(hosted, of("host", "invited"), of("host", "attending"))).toBe(undefined)
  })

  it("keeps the last host", () => {
    const one = { ...room, hosts: 1 }
    expect(problemOf(one, of("host", "attending"), of("attendee", "invited"))).toBe("LastHost")
    expect(problemOf(one, of("host", "attending"), of("host", "declined"))).toBe(undefined)
    expect(problemOf(room, of("host", "attending"), of("attendee", "invited"))).toBe(undefined)
    expect(Result.isFailure(decideLeaving(one, of("host", "attending")))).toBe(true)
    expect(Result.isSuccess(decideLeaving(one, of("attendee", "attending")))).toBe(true)
    expect(Result.isSuccess(decideLeaving(room, of("host", "attending")))).toBe(true)
  })

  it("never lets the counts pass their limits", () => {
    const participation = fc.record({ role: fc.constantFrom(...roles), status: fc.constantFrom(...statuses) })
    const takesPlace = (one: Participation | undefined) =>
      Number(one?.role === "attendee" && one.status === "attending")
    fc.assert(
      fc.property(
        fc.option(participation, { nil: undefined }),
        participation,
        fc.nat({ max: 3 }),
        fc.integer({ min: 1, max: 20 }),
        (before, after, attending, hosts) => {
          const counts = { capacity: 2, participants: 5, hosts, attending: Math.min(2, attending) }
          if (Result.isFailure(decideRoom(counts, before, after))) return
          expect(counts.attending + takesPlace(after) - takesPlace(before)).toBeLessThanOrEqual(2)
          const hostsAfter = hosts + Number(after.role === "host") - Number(before?.role === "host")
          expect(hostsAfter).toBeLessThanOrEqual(20)
          if (before?.role === "host") expect(hostsAfter).toBeGreaterThanOrEqual(1)
        }
      )
    )
  })
})

describe("notificationsFor", () => {
  const account = (letter: string) => AccountId.make(letter.repeat(20))
  const [member, host, other] = [account("a"), account("b"), account("c")]
  const event_id = CalendarEventId.make("e".repeat(20))
  const told = (change: Partial<CalendarParticipationChanged>) =>
    notificationsFor({
      _tag: "CalendarParticipationChanged",
      event_id,
      by: member,
      account_id: member,
      role: "attendee",
      status: "attending",
      other_hosts: [host, other],
      ...change
    }).map(({ accountId, event, sourceId }) => `${event} ${accountId[0]} by ${sourceId[0]}`)

  it.each([
    ["attends for the first time", {}, ["member_attending_event b by a", "member_attending_event c by a"]],
    [
      "attends after an invitation",
      { former_role: "attendee", former_status: "invited" },
      ["member_attending_event b by a", "member_attending_event c by a"]
    ],
    [
      "declines",
      { status: "declined", former_role: "attendee", former_status: "attending" },
      ["member_declined_event b by a", "member_declined_event c by a"]
    ],
    ["requests", { status: "requested" }, []],
    ["is the only host", { role: "host", status: "declined", other_hosts: [] }, []],
    ["becomes host by themselves", { role: "host", former_role: "attendee", former_status: "attending" }, []],
    ["is made host", { by: host, role: "host" }, ["event_host_added a by b"]],
    [
      "is made host from an attendee",
      { by: host, role: "host", former_role: "attendee", former_status: "attending" },
      ["event_host_added a by b"]
    ],
    ["stays host", { by: host, role: "host", former_role: "host", former_status: "invited" }, []],
    ["is invited by others", { by: host, status: "invited" }, []],
    ["is made to attend by others", { by: host }, []]
  ] as const)("a member who %s", (_, change, expected) => {
    expect(told(change)).toEqual(expected)
  })

  it("tells those who are removed, not those who leave", () => {
    const removed = (by: AccountId) =>
      notificationsFor({ _tag: "CalendarParticipantRemoved", event_id, by, account_id: member })
    expect(removed(host)).toEqual([{ accountId: member, event: "attendee_removed", sourceId: host }])
    expect(removed(member)).toEqual([])
  })
})
