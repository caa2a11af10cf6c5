/** Other instances of the service, as far as they read the event log of a test's database. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type EventConsumer, makeConsumer } from "../../src/domain/event/EventConsumer.ts"
import type { LoggedEvent } from "../../src/domain/event/EventLog.ts"
import { type DomainEvent, declaredEvents } from "../../src/domain/event/EventLog.ts"
import { clientOptions } from "../../src/layers/wiring/Database.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import { EventSignal } from "../../src/persistence/event/EventLogSql.ts"
import { testServer } from "../support/servers.ts"

/** Another connection pool to this test's database, as another instance of the service has. */
const elsewhere = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const server = testServer()
    return PgClient.layer({
      ...clientOptions,
      ...server,
      password: Redacted.make(server.password),
      database: row?.name ?? "",
      maxConnections: 4
    })
  })
)

export type Handle = (events: ReadonlyArray<LoggedEvent<DomainEvent>>) => Effect.Effect<void>

/** A consumer that writes down the events it is handed, and then does `also`, which may fail it. */
export const recorder = (name: string, also: Handle = () => Effect.void) =>
  Effect.map(SqlClient.SqlClient, (sql) =>
    makeConsumer({
      name,
      reads: declaredEvents,
      handle: (events) =>
        Effect.forEach(
          events,
          ({ event, id }) =>
            sql`insert into seen (consumer, event_id, tag) values (${name}, ${id}, ${event._tag})`,
          { discard: true }
        ).pipe(Effect.orDie, Effect.andThen(also(events)))
    })
  )

/** An instance with these consumers, which are made of its own connections. */
export const instanceOf = (
  ...consumers: ReadonlyArray<Effect.Effect<EventConsumer, never, SqlClient.SqlClient>>
) =>
  EventConsumers.layer(Effect.all(consumers)).pipe(
    // Layers are built once in a test unless they are made anew.
    Layer.provide([Layer.fresh(EventSignal.layer), Layer.fresh(elsewhere)]),
    Layer.build,
    Effect.map((context) => Context.get(context, EventConsumers))
  )

export const drained = (consumers: EventConsumers["Service"]) =>
  consumers.drain.pipe(Effect.andThen(consumers.lag), Effect.repeat({ while: (behind) => behind > 0 }))

export const seenBy = (name: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly event_id: bigint; readonly tag: string }>`
      select event_id, tag from seen where consumer = ${name} order by position`
  )

/** What the log has, in the order in which it may be relied on. */
export const logged = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly event_id: bigint; readonly tag: string }>`
    select id as event_id, tag from event_log order by generation, txid, id`
)

/** Lets consumers start at the beginning; those of earlier tests no longer count for what is behind. */
export const fresh = SqlClient.SqlClient.use((sql) =>
  Effect.gen(function* () {
    yield* sql`create table if not exists seen (
      position bigint generated always as identity, consumer text, event_id bigint, tag text)`
    yield* sql`truncate seen`
    yield* sql`delete from event_consumers`
  })
)

/** The same, with an empty log. */
export const empty = Effect.andThen(
  fresh,
  SqlClient.SqlClient.use((sql) => sql`delete from event_log`)
)

/** Appends events as they are stored, each in a transaction of its own, and waits until they may be read. */
export const write = Effect.fnUntraced(function* (...events: ReadonlyArray<object>) {
  const sql = yield* PgClient.PgClient
  const ids: Array<bigint> = []
  for (const event of events) {
    const rows = yield* sql<{ readonly id: bigint }>`
      insert into event_log (occurred_at, event) values (now(), ${sql.json({ ...event })}) returning id`
    ids.push(...rows.map(({ id }) => id))
  }
  yield* readable
  return ids
})

/** Waits until no running transaction holds back an event. */
export const readable = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly waiting: boolean }>`select exists (
    select from event_log where txid >= pg_snapshot_xmin(pg_current_snapshot())
      and generation = (select max(generation) from event_generations)
  ) as waiting`
).pipe(Effect.repeat({ while: ([row]) => row?.waiting === true }), Effect.asVoid)

const id = "00000000000000000000"

/** Some event. */
export const updated = { _tag: "ThreadUpdated", id }
export const deleted = { _tag: "ThreadDeleted", id }
