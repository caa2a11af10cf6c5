/** Consumers that fail, and what is left of it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { EventConsumer } from "../../src/domain/event/EventConsumer.ts"
import { InternalErrors } from "../../src/domain/operations/InternalErrors.ts"
import { makePositions } from "../../src/persistence/event/ConsumerPositions.ts"
import { makeReader } from "../../src/persistence/event/ConsumerReader.ts"
import { type Handle, seenBy } from "./instances.ts"

/** Reads for one consumer, as an instance does that follows the log: all that is due now. */
export const follower = (consumer: EventConsumer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const positions = makePositions(sql)
    yield* positions.register([consumer.name])
    return makeReader(
      sql,
      positions,
      yield* InternalErrors
    )(consumer, "kept").pipe(Effect.repeat({ while: (more) => more }), Effect.exit)
  })

export const idsSeenBy = (name: string) =>
  Effect.map(seenBy(name), (rows) => rows.map(({ event_id }) => event_id))

export const parkedOf = (consumer: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`select event_id, since::text, tries, error from parked_events
      where consumer = ${consumer} order by event_id`
  )

export const stateOf = (consumer: string) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ readonly event_id: bigint; readonly tries: number; readonly failing: boolean }>`
        select event_id, tries, failing_since is not null or retry_at is not null or error is not null as failing
        from event_consumers where name = ${consumer}`
    ),
    ([row]) => row
  )

/** Fails as long as it is handed one of these events. */
export const refuse =
  (ids: ReadonlyArray<bigint | undefined>, error = new Error("no")): Handle =>
  (events) =>
    events.some(({ id }) => ids.includes(id)) ? Effect.die(error) : Effect.void
