/** Reads the event log from a position on, for all listeners of this instance together. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { beginning } from "../../domain/change/ChangePosition.ts"
import { tellingTags } from "../../domain/change/ChangesOfEvents.ts"
import { checkGeneration, type EventPosition, newestReadable } from "../event/ConsumerPositions.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type LogMoment, parseSnapshot } from "./LogMoment.ts"
import type { TellingRow } from "./TellingEvents.ts"

/** How many events are read at a time. */
export const pageMax = 500

export interface EventPage {
  readonly rows: ReadonlyArray<TellingRow>
  /** From where to read on. */
  readonly next: EventPosition
  /** Whether there may be more to read now. */
  readonly isFull: boolean
  /** Whether there are events that a running transaction keeps from being read. */
  readonly isHeld: boolean
}

interface MomentRow {
  readonly snapshot: string
  readonly current_generation: number
  readonly generation: number | null
  readonly txid: string | null
  readonly id: bigint | null
}

type Nullable<Row> = { readonly [Key in keyof Row]: Row[Key] | null }

interface PageRow extends Nullable<TellingRow> {
  readonly is_held: boolean
  readonly head_generation: number | null
  readonly head_txid: string | null
  readonly head_id: bigint | null
}

const positionOf = (generation: number | null, txid: string | null, id: bigint | null) =>
  generation === null || txid === null || id === null ? undefined : { generation, txid, id }

const isTellingRow = (row: PageRow): row is PageRow & TellingRow => row.id !== null

export const makeChangeReads = (sql: SqlClient.SqlClient, reads: SqlClient.SqlClient) => {
  /** Where the log is now. Events that came with a dump of another cluster are before that. */
  const now = Effect.andThen(
    checkGeneration(sql),
    sql<MomentRow>`select pg_current_snapshot()::text as snapshot,
        (select max(generation) from event_generations) as current_generation,
        head.generation, head.txid::text, head.id
      from (select) one left join lateral (${sql.literal(newestReadable)}) head on true`
  ).pipe(
    Effect.flatMap(([row]) =>
      row === undefined
        ? Effect.die(new Error("The database did not say where the log is"))
        : Effect.succeed<LogMoment>({
            head: positionOf(row.generation, row.txid, row.id) ?? beginning,
            generation: row.current_generation,
            snapshot: parseSnapshot(row.snapshot)
          })
    ),
    orDefect
  )

  /** The next events that tell others of something. */
  const after = (at: EventPosition) => {
    const place = reads`(${at.generation}::integer, ${at.txid}::text::xid8, ${at.id}::bigint)`
    return reads<PageRow>`with head as materialized (
        select * from (${reads.literal(newestReadable)}) newest where (generation, txid, id) > ${place}
      ), held as materialized (
        -- The newest event of all is found through the index, other than any newer one.
        select exists (
          select from (
            select generation, txid, id from event_log order by generation desc, txid desc, id desc limit 1
          ) newest
          where (generation, txid, id) > (coalesce(head.generation, at.generation), coalesce(head.txid, at.txid),
            coalesce(head.id, at.id))
        ) as is_held
        from (values ${place}) at (generation, txid, id) left join head on true
      )
      select held.is_held, head.generation as head_generation, head.txid::text as head_txid, head.id as head_id,
        e.generation, e.txid::text, e.id, e.occurred_at, e.event, octet_length(e.event::text) as size
      from held left join head on true left join lateral (
        select * from event_log
        where (generation, txid, id) > ${place} and (generation, txid, id) <= (head.generation, head.txid, head.id)
          and tag = any(${tellingTags}::text[])
        order by generation, txid, id limit ${pageMax}
      ) e on true
      order by e.generation, e.txid, e.id`.pipe(
      Effect.map((found): EventPage => {
        const rows = found.filter(isTellingRow)
        const isFull = rows.length === pageMax
        const [first] = found
        const head = first && positionOf(first.head_generation, first.head_txid, first.head_id)
        return {
          rows,
          next: (isFull ? rows.at(-1) : undefined) ?? head ?? at,
          isFull,
          isHeld: first?.is_held ?? false
        }
      }),
      orDefect
    )
  }

  return { now, after } as const
}
