import { Effect, Layer, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { AuditEvent, AuditEventType } from "../../domain/moderation/AuditEvent.ts"
import { type AuditFilter, AuditStore, pageSize } from "../../domain/moderation/AuditStore.ts"
import { AccountId, AuditEventId } from "../../domain/shared/Id.ts"
import { People, peopleVersion } from "../account/People.ts"
import { SlowReads } from "../shared/Connections.ts"
import { type PageSpan, spanOf } from "../shared/PageSpan.ts"
import { decoded, first, isOneOf } from "../shared/Query.ts"
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

const columns = `id, e.occurred_at, type, enacted_by, subject, occurrences::float8 as occurrences, last_at,
  ${peopleVersion} as people_version`

/** Internal errors are counted beside their entries, which do not change. */
const counted = "audit_events e left join internal_errors on audit_event_id = id"

/** An entry as it is shown, of what was written. */
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
    const people = yield* People

    const eventsOf = Effect.fnUntraced(function* (found: ReadonlyArray<Row>) {
      const [any] = found
      if (any === undefined) return []
      const ids = found.flatMap(({ enacted_by }) => enacted_by ?? [])
      const { brief } = yield* people.resolve(ids, any.people_version)
      return yield* Effect.forEach(found, (row) =>
        Effect.orDie(eventOf(row, row.enacted_by === null ? undefined : brief(row.enacted_by)))
      )
    })

    const during = ({ end, start }: AuditFilter["range"]) =>
      reads.and([
        start === undefined ? reads.literal("true") : reads`occurred_at >= ${start}`,
        end === undefined ? reads.literal("true") : reads`occurred_at <= ${end}`
      ])

    const ofTypes = (types: AuditFilter["types"]) =>
      types.length === 0 ? reads.literal("true") : isOneOf(reads, "type", types)

    /**
     * The entries of a page, all in an index. Of several types, those that may be on it are looked up for each: of a
     * rare one, the index of all entries would be read to its end.
     */
    const pageOf = ({ range, types }: AuditFilter, { backwards, offset }: PageSpan) => {
      const order = reads.literal(`order by ${backwards ? "occurred_at, id" : "occurred_at desc, id desc"}`)
      // A constant limit lets the planner know how few there are.
      const some = (source: Statement.Fragment) =>
        reads`${source} ${order} offset ${offset}::bigint limit ${reads.literal(String(pageSize))}`
      if (types.length < 2) {
        return some(reads`select id from audit_events where ${ofTypes(types)} and ${during(range)}`)
      }
      return some(reads`select id from unnest(${types}::text[]) asked (type) cross join lateral (
          select occurred_at, id from audit_events where type = asked.type and ${during(range)}
          ${order} limit ${offset + pageSize}::bigint
        ) of_type`)
    }

    /** How many there are is known of each type, and counted of a range. */
    const countOf = (filter: AuditFilter) => {
      const { range, types } = filter
      const isWhole = range.start === undefined && range.end === undefined
      return Effect.map(
        first(
          isWhole
            ? reads<{
                readonly total: number
              }>`select coalesce(sum(events), 0)::int as total from audit_totals
                where ${ofTypes(types)}`
            : reads<{ readonly total: number }>`select count(*)::int as total from audit_events
                where ${ofTypes(types)} and ${during(range)}`
        ),
        (row) => row?.total ?? 0
      )
    }

    return AuditStore.of({
      find: Effect.fnUntraced(function* (id) {
        const found = yield* rows.all(
          reads`select ${reads.literal(columns)} from ${reads.literal(counted)} where id = ${id}`
        )
        return Option.fromUndefinedOr((yield* eventsOf(found))[0])
      }),

      list: Effect.fnUntraced(function* ({ range, types }, page) {
        const filter = { range, types: [...new Set(types)] }
        const total = yield* countOf(filter)
        const span = spanOf(page, pageSize, total)
        if (span.size === 0) return { total, events: [] }
        const found = yield* rows.all(reads`select ${reads.literal(columns)}
          from ${reads.literal(counted)} where id in (${pageOf(filter, span)})
          order by e.occurred_at desc, id desc`)
        // The page nearest to the end may be a short one, and a whole one is read.
        const listed = span.backwards ? found.slice(-span.size) : found.slice(0, span.size)
        return { total, events: yield* eventsOf(listed) }
      })
    })
  })
).pipe(Layer.provide(People.layer))
