/**
 * How far each consumer has read, and what comes next for it.
 *
 * Transactions commit in another order than they took their numbers in, so an
 * event may appear before one that is already visible. Therefore events are
 * ordered by the transaction that wrote them, and only those of transactions
 * older than every running one are read: nothing can appear before them any
 * more. Transaction numbers mean this only in the database cluster that gave
 * them, so events that were written in another cluster, before a dump of it was
 * restored in this one, are of an earlier generation. That one is complete.
 */
import { type DateTime, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { EventConsumer } from "../../domain/event/EventConsumer.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

/** Where an event stands in the order of the log. */
export interface EventPosition {
  readonly generation: number
  readonly txid: string
  readonly id: bigint
}

export interface EventRow extends EventPosition {
  readonly occurred_at: Date
  readonly actor_id: AccountId | null
  readonly event: unknown
}

/** The failed tries of the event after a position. */
export interface Failing {
  readonly tries: number
  readonly since: DateTime.Utc
  readonly retryAt: DateTime.Utc
}

export interface Position {
  /** The last event that the consumer has passed. */
  readonly at: EventPosition
  /** The last event that may be read now. */
  readonly head: EventPosition
  readonly failing: Failing | undefined
}

/** A consumer that has not passed all that may be read now. */
export interface Behind {
  readonly name: string
  /** Whether the consumer may have something to read. */
  readonly is_due: boolean
}

interface PositionRow extends EventPosition {
  readonly tries: number
  readonly failing_since: Date | null
  readonly retry_at: Date | null
  readonly head_generation: number
  readonly head_txid: string
  readonly head_id: bigint
}

const positionOf = (row: PositionRow): Position => ({
  at: { generation: row.generation, txid: row.txid, id: row.id },
  head: { generation: row.head_generation, txid: row.head_txid, id: row.head_id },
  failing:
    row.failing_since === null || row.retry_at === null
      ? undefined
      : { tries: row.tries, since: toDateTime(row.failing_since), retryAt: toDateTime(row.retry_at) }
})

/** The position of the newest event that may be read now. */
export const newestReadable = `select generation, txid, id from event_log
  where (generation, txid)
    < ((select max(generation) from event_generations), pg_snapshot_xmin(pg_current_snapshot()))
  order by generation desc, txid desc, id desc limit 1`

const run = (statement: Effect.Effect<unknown, SqlError.SqlError>): Effect.Effect<void> =>
  statement.pipe(Effect.asVoid, orDefect)

// How many of the events after its position show whether a consumer reads any. One that is further behind is due.
const lookMax = 1000

const notFailing = "tries = 0, failing_since = null, retry_at = null, error = null"

const place = (sql: SqlClient.SqlClient, { generation, id, txid }: EventPosition) =>
  sql`(${generation}::integer, ${txid}::text::xid8, ${id}::bigint)`

/** Adds the consumers that are new; they start at the beginning of the log. */
const register = (sql: SqlClient.SqlClient) => (names: ReadonlyArray<string>) =>
  run(sql`insert into event_consumers (name) select unnest(${names}::text[]) on conflict do nothing`)

/**
 * Begins a new generation if the newest event was written in another cluster.
 * Appending does so too; this lets older events be read before anything is appended.
 */
export const checkGeneration = (sql: SqlClient.SqlClient) => run(sql`select event_generation()`)

/**
 * Which of these consumers are behind, unless they wait before another try, and which of those have something to read.
 * The others, and those that have nothing to do now, pass what there is, all in this one statement: most consumers read
 * few kinds of events, and a transaction for each of them whenever anything happens would be most of what the log costs.
 * A consumer that is at work is not waited for.
 */
const look =
  (sql: SqlClient.SqlClient) =>
  (consumers: ReadonlyArray<Pick<EventConsumer, "name" | "tags">>, now: DateTime.Utc) =>
    sql<Behind>`with head as materialized (${sql.literal(newestReadable)}), behind as materialized (
      select c.name, c.tries > 0 or (not c.is_idle and (near.is_far or near.is_read)) as is_due
      from head cross join unnest(${consumers.map(({ name }) => name)}::text[],
        ${consumers.map(({ tags }) => tags.join(" "))}::text[]) asked (name, tags)
      join event_consumers c on c.name = asked.name
      cross join lateral (
        select count(*) = ${lookMax}::int as is_far,
          coalesce(bool_or(e.tag = any(string_to_array(asked.tags, ' '))), false) as is_read
        from (
          select tag from event_log
          where (generation, txid, id) > (c.generation, c.txid, c.event_id)
            and (generation, txid, id) <= (head.generation, head.txid, head.id)
            and not c.is_idle
          order by generation, txid, id limit ${lookMax}::int
        ) e
      ) near
      where (c.tries = 0 or c.retry_at <= ${toDate(now)})
        and (c.generation, c.txid, c.event_id) < (head.generation, head.txid, head.id)
    ), passed as (
      update event_consumers c set generation = head.generation, txid = head.txid, event_id = head.id
      from head, (
        select name from event_consumers
        where name in (select name from behind where not is_due) for update skip locked
      ) idle
      where c.name = idle.name and c.tries = 0
        and (c.generation, c.txid, c.event_id) < (head.generation, head.txid, head.id)
    )
    select name, is_due from behind`.pipe(orDefect)

/** The consumer's position, held until the transaction ends; none if it has read everything or is held already. */
const lock = (sql: SqlClient.SqlClient) => (name: string) =>
  sql<PositionRow>`select c.generation, c.txid::text, c.event_id as id,
      c.tries, c.failing_since, c.retry_at,
      head.generation as head_generation, head.txid::text as head_txid, head.id as head_id
    from event_consumers c cross join lateral (${sql.literal(newestReadable)}) head
    where c.name = ${name} and (c.generation, c.txid, c.event_id) < (head.generation, head.txid, head.id)
    for update of c skip locked`.pipe(
    Effect.map(([row]) => (row === undefined ? undefined : positionOf(row))),
    orDefect
  )

/** The next events with these tags. */
const next =
  (sql: SqlClient.SqlClient) =>
  ({ at, head }: Position, tags: ReadonlyArray<string>, limit: number) =>
    sql<EventRow>`select e.generation, e.txid::text, e.id, e.occurred_at, e.actor_id, e.event from event_log e
    where (e.generation, e.txid, e.id) > ${place(sql, at)} and (e.generation, e.txid, e.id) <= ${place(sql, head)}
      and e.tag = any(${tags}::text[])
    order by e.generation, e.txid, e.id limit ${limit}`.pipe(orDefect)

const move = (sql: SqlClient.SqlClient) => (name: string, to: EventPosition) =>
  run(
    sql`update event_consumers set (generation, txid, event_id) = ${place(sql, to)}, ${sql.literal(notFailing)} where name = ${name}`
  )

// Another instance may have read on since.
const stillAt = (sql: SqlClient.SqlClient, name: string, { at, failing }: Position) =>
  sql`name = ${name} and (generation, txid, event_id) = ${place(sql, at)} and tries = ${failing?.tries ?? 0}`

/** Notes a failed try of the event after the position. */
const retryLater =
  (sql: SqlClient.SqlClient) => (name: string, from: Position, failing: Failing, error: string) =>
    run(
      sql`update event_consumers set tries = ${failing.tries}, failing_since = ${toDate(failing.since)},
        retry_at = ${toDate(failing.retryAt)}, error = ${error}
      where ${stillAt(sql, name, from)}`
    )

/** Moves past an event that failed, and keeps it aside. */
const park =
  (sql: SqlClient.SqlClient) =>
  (
    name: string,
    from: Position,
    event: EventPosition,
    { since, tries }: Omit<Failing, "retryAt">,
    error: string
  ) =>
    run(
      sql`with moved as (
        update event_consumers set (generation, txid, event_id) = ${place(sql, event)}, ${sql.literal(notFailing)}
        where ${stillAt(sql, name, from)} returning name
      )
      insert into parked_events (consumer, event_id, since, tries, error)
      select name, ${event.id}::bigint, ${toDate(since)}, ${tries}::integer, ${error} from moved`
    )

export const makePositions = (sql: SqlClient.SqlClient) =>
  ({
    register: register(sql),
    checkGeneration: checkGeneration(sql),
    look: look(sql),
    lock: lock(sql),
    next: next(sql),
    move: move(sql),
    retryLater: retryLater(sql),
    park: park(sql)
  }) as const

export type ConsumerPositions = ReturnType<typeof makePositions>
