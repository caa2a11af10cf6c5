/** Reads what belongs to calendar events, images and participants, for all events of an answer at once. */
import { Effect } from "effect"
import type { CalendarEventReference, FoundEvent } from "../../domain/calendar/CalendarEvent.ts"
import type { AccountId, CalendarEventId } from "../../domain/shared/Id.ts"
import type { ParticipantRole, ParticipationStatus } from "../../domain/vocabulary/Participation.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { makeAssetReader } from "../asset/AssetRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { referenceOf } from "./CalendarRows.ts"

interface ParticipantRow {
  readonly event_id: CalendarEventId
  readonly account_id: AccountId
  readonly role: ParticipantRole
  readonly status: ParticipationStatus
}

/** Which participants of an event are shown: the first ones, and the viewer. */
export interface Shown {
  readonly first: number
  readonly viewer: AccountId | undefined
}

export const makeCalendarReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const assets = yield* makeAssetReader
  const people = yield* ProfileCache

  /** The participants to show, in their order; those of each event are read by one look into the index. */
  const participantsOf = (ids: ReadonlyArray<CalendarEventId>, { first, viewer }: Shown) =>
    all(
      sql<ParticipantRow>`select shown.event_id, shown.account_id, shown.role, shown.status
        from unnest(${ids}::text[]) found (id) cross join lateral (
          (select * from calendar_participants where event_id = found.id
            order by role desc, created_at, account_id limit ${first}::bigint)
          union
          select * from calendar_participants where event_id = found.id and account_id = ${viewer ?? null}
        ) shown
        order by shown.event_id, shown.role desc, shown.created_at, shown.account_id`
    )

  return Effect.fnUntraced(function* (events: ReadonlyArray<FoundEvent>, shown: Shown) {
    const [any] = events
    if (any === undefined) return []
    const [images, rows] = yield* Effect.all(
      [
        assets.byIds(events.flatMap(({ imageId }) => imageId ?? [])),
        participantsOf(
          events.map(({ id }) => id),
          shown
        )
      ],
      { concurrency: "unbounded" }
    )
    const profiles = yield* people.resolve(
      rows.map(({ account_id }) => account_id),
      any.peopleVersion
    )
    const byEvent = Map.groupBy(rows, ({ event_id }) => event_id)
    return events.map((event): CalendarEventReference => {
      const participants = (byEvent.get(event.id) ?? []).map(({ account_id, role, status }) => ({
        profile: profiles.get(account_id),
        role,
        status
      }))
      const image = event.imageId === undefined ? undefined : images.get(event.imageId)
      return referenceOf(event, image, participants)
    })
  })
})
