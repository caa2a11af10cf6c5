import { Effect, Layer, Option, Schema } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { AuditEvent, AuditEventType } from "../../domain/moderation/AuditEvent.ts"
import { type AuditFilter, AuditStore, pageSize } from "../../domain/moderation/AuditStore.ts"
import { AccountId, AuditEventId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { SlowReads } from "../shared/Connections.ts"
import { type ListQuery, pagedList } from "../shared/PagedList.ts"
import { decoded, isOneOf, isWithin } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

const Row = Schema.Struct({
  id: AuditEventId,
  occurred_at: Schema.Date,
  type: AuditEventType,
  enacted_by: Schema.NullOr(AccountId),
  subject: Schema.Record(Schema.String, Schema.Json),
  occurrences: Schema.NullOr(Schema.Int),
  last_at: Schema.NullOr(Schema.Date),
  people_version: Schema.String
})
type Row = typeof Row.Type
const rows = decoded(Row)

const columns = `e.id, e.occurred_at, e.type, e.enacted_by, e.subject, occurrences::float8 as occurrences, last_at,
  ${peopleVersion} as people_version`

/** The join with the counts of internal errors, which are kept beside the entries, as these do not change. */
const counted = "left join internal_errors on audit_event_id = e.id"

const newestFirst = pagedList({
  table: "audit_events",
  row: "e",
  columns,
  order: [
    ["e.occurred_at", "desc", "timestamptz"],
    ["e.id", "desc", "text"]
  ],
  pageSize
})

/** Checks that an entry is one as the API shows it. */
const shown = Schema.decodeUnknownEffect(AuditEvent)

const eventOf = (
  { id, last_at, occurred_at, occurrences, subject, type }: Row,
  enactedBy: ProfileReference | undefined
) =>
  shown({
    id,
    type,
    timestamp: toTimestamp(occurred_at),
    ...(enactedBy === undefined ? {} : { enacted_by: enactedBy }),
    ...subject,
    ...(occurrences === null || last_at === null ? {} : { occurrences, last_at: toTimestamp(last_at) })
  })

export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const reads = yield* SlowReads
    const people = yield* ProfileCache

    const eventsOf = (found: ReadonlyArray<Row>) =>
      Effect.flatMap(
        people.show(
          found,
          ({ enacted_by }) => [enacted_by],
          (row, { brief }) => eventOf(row, row.enacted_by === null ? undefined : brief(row.enacted_by))
        ),
        (events) => Effect.orDie(Effect.all(events))
      )

    /** The query for a list of entries. Their number is kept for each type, and counted within a range of time. */
    const listing = ({ range, types }: AuditFilter): Omit<ListQuery, "place"> => {
      const inRange = isWithin(reads, "e.occurred_at", range)
      const ofTypes = types.length === 0 ? [] : [isOneOf(reads, "e.type", types)]
      return {
        conditions: [...ofTypes, ...inRange],
        joins: reads.literal(counted),
        ...(inRange.length > 0
          ? {}
          : {
              facts: reads`select coalesce(sum(events), 0)::int as total from audit_totals e
                where ${reads.and(ofTypes)}`
            }),
        // Of several types, those that may be on the page are looked up for each: of a rare one, the index of all
        // entries would be read to its end.
        ...(types.length < 2
          ? {}
          : {
              source: (order, most, after) => reads`unnest(${types}::text[]) asked (type) cross join lateral (
                select e.occurred_at, e.id from audit_events e
                where ${reads.and([reads`e.type = asked.type`, ...inRange, after])} ${order} ${most}) e`
            })
      }
    }

    return AuditStore.of({
      find: Effect.fnUntraced(function* (id) {
        const found = yield* rows.all(
          reads`select ${reads.literal(columns)} from audit_events e ${reads.literal(counted)} where e.id = ${id}`
        )
        return Option.fromUndefinedOr((yield* eventsOf(found))[0])
      }),

      list: Effect.fnUntraced(function* ({ range, types }, place) {
        const query = listing({ range, types: [...new Set(types)] })
        const { next, rows: found, total } = yield* newestFirst.page(reads, { ...query, place })
        return { total, next, events: yield* eventsOf(yield* rows.all(Effect.succeed(found))) }
      })
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
