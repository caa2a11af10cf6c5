import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { EventSlugTaken } from "../../domain/calendar/CalendarEvent.ts"
import { CalendarStore } from "../../domain/calendar/CalendarStore.ts"
import { participationMax } from "../../domain/calendar/Participant.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { searchForm } from "../../domain/text/SearchText.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, orDefect } from "../shared/SqlErrors.ts"
import { makeCalendarList } from "./CalendarListSql.ts"
import { makeCalendarReader } from "./CalendarReader.ts"
import { type EventRow, eventColumns, foundOf } from "./CalendarRows.ts"
import { makeEndingEvents } from "./EndingEventsSql.ts"
import { makeParticipation } from "./ParticipationSql.ts"

const slugTaken = (slug: string) => onUniqueViolation(() => new EventSlugTaken({ metadata: { slug } }))

export const layer = Layer.effect(
  CalendarStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const complete = yield* makeCalendarReader

    const found = (condition: string, parameter: string, viewer: AccountId | undefined) =>
      Effect.map(
        first(
          reads.unsafe<EventRow>(
            `select ${eventColumns}, e.meta from calendar_events e
              left join calendar_participants mine on mine.event_id = e.id and mine.account_id = $2
              where ${condition} and e.deleted_at is null`,
            [parameter, viewer ?? null]
          )
        ),
        (row) => (row === undefined ? Option.none() : Option.some(foundOf(row)))
      )

    return CalendarStore.of({
      find: (mark, viewer) =>
        "id" in mark ? found("e.id = $1", mark.id, viewer) : found("e.slug = $1", mark.slug, viewer),

      complete: (event) =>
        Effect.flatMap(
          complete([event], { first: participationMax.participants, viewer: undefined }),
          ([reference]) =>
            reference === undefined
              ? Effect.die(new Error(`Event ${event.id} was not read`))
              : Effect.succeed(reference)
        ),

      list: yield* makeCalendarList,

      ending: yield* makeEndingEvents,

      ...(yield* makeParticipation),

      accountExists: (id) => some(reads`select 1 from accounts where id = ${id}`),

      insert: Effect.fnUntraced(function* (event) {
        const at = toDate(event.at)
        yield* sql`insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description,
            starts_at, ends_at, primary_image_id, policy, visibility, location, capacity, meta, search)
          values (${event.id}, ${at}, ${at}, ${event.threadId}, ${event.name}, ${event.slug},
            ${event.description}, ${event.timeRange.start}::timestamptz, ${event.timeRange.end}::timestamptz,
            ${event.imageId ?? null}, ${event.policy}, ${event.visibility},
            ${event.location === undefined ? null : sql.json(event.location)}, ${event.capacity ?? null},
            ${sql.json(event.meta)},
            concat_ws(e'\n', ${searchForm(event.name)}::text, ${searchForm(event.description)}::text))`.pipe(
          slugTaken(event.slug)
        )
        yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
          values (${event.id}, ${event.hostId}, ${at}, ${at}, 'host', 'attending')`
      }, orDefect),

      update: (id, changes, at) => {
        const name = changes.name === undefined ? null : searchForm(changes.name)
        const description = changes.description === undefined ? null : searchForm(changes.description)
        const location = changes.location ? sql.json(changes.location) : null
        return sql`update calendar_events set updated_at = ${toDate(at)},
            name = coalesce(${changes.name ?? null}, name),
            slug = coalesce(${changes.slug ?? null}, slug),
            description = coalesce(${changes.description ?? null}, description),
            starts_at = coalesce(${changes.timeRange?.start ?? null}::timestamptz, starts_at),
            ends_at = coalesce(${changes.timeRange?.end ?? null}::timestamptz, ends_at),
            primary_image_id = case when ${changes.imageId === undefined}::boolean then primary_image_id
              else ${changes.imageId ?? null}::text end,
            policy = coalesce(${changes.policy ?? null}, policy),
            visibility = coalesce(${changes.visibility ?? null}, visibility),
            location = case when ${changes.location === undefined}::boolean then location
              else ${location}::jsonb end,
            capacity = case when ${changes.capacity === undefined}::boolean then capacity
              else ${changes.capacity ?? null}::int end,
            meta = coalesce(${changes.meta === undefined ? null : sql.json(changes.meta)}, meta),
            search = concat_ws(e'\n', coalesce(${name}::text, split_part(search, e'\n', 1)),
              coalesce(${description}::text, split_part(search, e'\n', 2)))
          where id = ${id}`.pipe(slugTaken(changes.slug ?? ""), Effect.asVoid, orDefect)
      }
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
