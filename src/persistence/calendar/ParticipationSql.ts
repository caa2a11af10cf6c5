/** Reads and changes who takes part in events, which must be locked. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { CalendarStore, LockedEvent } from "../../domain/calendar/CalendarStore.ts"
import type { ParticipationPolicy } from "../../domain/calendar/Participant.ts"
import type { Participation } from "../../domain/calendar/ParticipationRules.ts"
import type { AccountId, CalendarEventId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { ParticipantRole } from "../../domain/vocabulary/Participation.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

interface LockedRow {
  readonly policy: ParticipationPolicy
  readonly visibility: Visibility
  readonly capacity: number | null
  readonly participants: number
  readonly hosts: number
  readonly attending: number
}

interface KnownRow {
  readonly account_id: AccountId
  readonly role: ParticipantRole
}

const lockedOf = (
  id: CalendarEventId,
  row: LockedRow,
  known: ReadonlyArray<KnownRow>,
  caller: AccountId
): LockedEvent => ({
  id,
  visibility: row.visibility,
  callerRole: known.find(({ account_id }) => account_id === caller)?.role,
  policy: row.policy,
  counts: {
    capacity: row.capacity ?? undefined,
    participants: row.participants,
    hosts: row.hosts,
    attending: row.attending
  },
  hosts: known.filter(({ role }) => role === "host").map(({ account_id }) => account_id)
})

export const makeParticipation = Effect.map(
  PgClient.PgClient,
  (sql) =>
    ({
      findForUpdate: Effect.fnUntraced(function* (id, caller) {
        const row = yield* first(
          locking("calendar event")(sql<LockedRow>`select policy, visibility, capacity, participants, hosts,
              attending from calendar_events where id = ${id} and deleted_at is null for no key update`)
        )
        if (row === undefined) return Option.none()
        // Read once the event is locked: the transaction that had the lock before may have changed them.
        const known = yield* sql<KnownRow>`select account_id, role from calendar_participants
          where event_id = ${id} and (role = 'host' or account_id = ${caller}) order by account_id`
        return Option.some(lockedOf(id, row, known, caller))
      }, orDefect),

      findParticipation: (id, account) =>
        Effect.map(
          first(
            sql<Participation>`select role, status from calendar_participants
              where event_id = ${id} and account_id = ${account}`
          ),
          Option.fromUndefinedOr
        ),

      attendees: (id) =>
        Effect.map(
          all(
            sql<{ readonly account_id: AccountId }>`select account_id from calendar_participants
              where event_id = ${id} and role = 'attendee' order by account_id`
          ),
          (rows) => rows.map(({ account_id }) => account_id)
        ),

      setParticipation: (id, account, { role, status }, at) =>
        run(sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
          values (${id}, ${account}, ${toDate(at)}, ${toDate(at)}, ${role}, ${status})
          on conflict (event_id, account_id) do update set updated_at = excluded.updated_at,
            role = excluded.role, status = excluded.status`),

      removeParticipant: (id, account) =>
        run(sql`delete from calendar_participants where event_id = ${id} and account_id = ${account}`)
    }) satisfies Pick<
      CalendarStore["Service"],
      "attendees" | "findForUpdate" | "findParticipation" | "removeParticipant" | "setParticipation"
    >
)
