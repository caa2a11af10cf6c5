/** Reads the changes of the event log from any position on. */
import { Effect, Layer } from "effect"
import { CursorExpired } from "../../domain/change/ChangeList.ts"
import { ChangeLog, type LogPage } from "../../domain/change/ChangeLog.ts"
import { beginning, type ChangePosition, cursorOf, isBefore } from "../../domain/change/ChangePosition.ts"
import type { ChangeName } from "../../domain/change/Changes.ts"
import { tagsOfChanges } from "../../domain/change/ChangeTags.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import { newestReadable } from "../event/ConsumerPositions.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first } from "../shared/Query.ts"
import { makeCurrentStandings } from "./CurrentStandingsSql.ts"
import { makePageTurns } from "./PageTurns.ts"
import { makeReadChanges, type TellingRow } from "./TellingEvents.ts"

/** How many events of the log one page looks at, of which it may want none. The index has what decides on it. */
const lookedAtMax = 10_000

/** Bytes of events on a page, but for its first one: settings may have megabytes. */
const bytesMax = 1024 * 1024

type Nullable<Row> = { readonly [Key in keyof Row]: Row[Key] | null }

interface PageRow extends Nullable<TellingRow> {
  readonly kept_generation: number
  readonly kept_txid: string
  readonly kept_id: bigint
  readonly last_generation: number | null
  readonly last_txid: string | null
  readonly last_id: bigint | null
  readonly looked_at: number
  readonly wanted: number
}

interface HeadRow {
  readonly generation: number
  readonly txid: string
  readonly id: bigint
}

const isTellingRow = (row: PageRow): row is PageRow & TellingRow => row.id !== null

const lastOf = ({ last_generation: generation, last_id: id, last_txid: txid }: PageRow) =>
  generation === null || txid === null || id === null ? undefined : { generation, txid, id }

const keptOf = ({ kept_generation: generation, kept_id: id, kept_txid: txid }: PageRow): ChangePosition => ({
  generation,
  txid,
  id
})

const positionOf = ({ generation, id, txid }: TellingRow): ChangePosition => ({ generation, txid, id })

const make = Effect.gen(function* () {
  const reads = yield* QuickReads
  const readChanges = makeReadChanges(yield* InternalErrors)
  const readStandings = makeCurrentStandings(reads)

  const latest = Effect.map(
    first(reads<HeadRow>`select generation, txid::text, id from (${reads.literal(newestReadable)}) newest`),
    (head) => head ?? beginning
  )

  const rowsAfter = (after: ChangePosition | undefined, tags: ReadonlyArray<string>, limit: number) =>
    all(reads<PageRow>`with kept as (
        select generation, txid, event_id as id,
          coalesce(${after?.generation ?? null}::integer, generation) as from_generation,
          coalesce(${after?.txid ?? null}::text::xid8, txid) as from_txid,
          coalesce(${after?.id ?? null}::bigint, event_id) as from_id
        from event_log_kept
      ), head as materialized (${reads.literal(newestReadable)}), looked_at as materialized (
        select e.generation, e.txid, e.id, e.tag = any(${tags}::text[]) as is_wanted
        from kept, head, event_log e
        where (e.generation, e.txid, e.id) > (kept.from_generation, kept.from_txid, kept.from_id)
          and (e.generation, e.txid, e.id) <= (head.generation, head.txid, head.id)
        order by e.generation, e.txid, e.id limit ${lookedAtMax}::int
      ), counted as (
        select count(*)::int as looked_at, count(*) filter (where is_wanted)::int as wanted from looked_at
      ), last as (
        select generation, txid, id from looked_at order by generation desc, txid desc, id desc limit 1
      )
      select kept.generation as kept_generation, kept.txid::text as kept_txid, kept.id as kept_id,
        last.generation as last_generation, last.txid::text as last_txid, last.id as last_id,
        counted.looked_at, counted.wanted,
        e.generation, e.txid::text, e.id, e.occurred_at, e.event, e.size
      from kept cross join counted left join last on true left join (
        select *, sum(size) over (order by generation, txid, id) - size as before
        from (
          select l.generation, l.txid, l.id, l.occurred_at, l.event, octet_length(l.event::text) as size
          from looked_at w join event_log l on l.id = w.id where w.is_wanted
          order by w.generation, w.txid, w.id limit ${limit}::int
        ) wanted
      ) e on e.before < ${bytesMax}::int
      order by e.generation, e.txid, e.id`)

  const inTurn = makePageTurns()

  const readPage = Effect.fnUntraced(function* (
    after: ChangePosition | undefined,
    names: ReadonlyArray<ChangeName>,
    limit: number
  ) {
    const found = yield* rowsAfter(after, tagsOfChanges(names), limit)
    const [any] = found
    if (any === undefined) return yield* Effect.die(new Error("The log does not say what of it is kept"))
    const kept = keptOf(any)
    if (after !== undefined && isBefore(after, kept)) {
      return yield* new CursorExpired({ metadata: { oldest: cursorOf(kept) } })
    }
    const rows = found.filter(isTellingRow)
    const lastRow = rows.at(-1)
    const isCut = lastRow !== undefined && rows.length < any.wanted
    const changes = (yield* readChanges(rows)).map(({ logged }) => logged)
    return {
      changes,
      now: yield* readStandings(changes.map(({ audience }) => audience)),
      next: isCut ? positionOf(lastRow) : (lastOf(any) ?? after ?? kept),
      isPart: isCut || any.looked_at === lookedAtMax
    } satisfies LogPage
  })

  return ChangeLog.of({
    latest,
    read: (network, after, names, limit) => inTurn(network, readPage(after, names, limit))
  })
})

export const layer = Layer.effect(ChangeLog, make)
