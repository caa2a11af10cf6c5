/** Which events the database has an audit entry for, and the entries of events that older releases wrote. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { declaredEvents } from "../../src/domain/event/DomainEvent.ts"
import { tagOf } from "../../src/domain/event/EventConsumer.ts"
import { AuditEvent, auditFields } from "../../src/domain/moderation/AuditEvent.ts"
import migrateAudit from "../../src/persistence/migrations/0060_audit.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents } from "../support/people.ts"

interface Audited {
  readonly tag: string
  readonly type: string
  readonly fields: Readonly<Record<string, string>>
}

/** The schema as it was before. */
const undo = [
  `drop trigger event_log_audit on event_log`,
  `drop function audit, audit_event, audit_event_id`,
  `drop table audited_events`
]

const older = ["audit", "audit of accounts", "audit of staff"]

layer(People.layer)("the audited events", (it) => {
  it.effect("are those of all types of entries, whose fields they have", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<Audited>`select tag, type, fields from audited_events`
      const entries = AuditEvent.members
        .filter(({ fields }) => fields.type.literal !== "internal_error")
        .map(({ fields }) => ({
          type: fields.type.literal,
          fields: Object.keys(fields).filter((field) => field !== "type" && !(field in auditFields))
        }))
      const written = rows.map(({ fields, type }) => ({ type, fields: Object.keys(fields) }))
      const order = (all: ReadonlyArray<{ readonly type: string; readonly fields: ReadonlyArray<string> }>) =>
        all.map(({ fields, type }) => `${type} ${fields.toSorted().join(" ")}`).sort()
      assert.deepStrictEqual(order(written), order(entries))
      for (const { fields, tag } of rows) {
        const event = declaredEvents.find((declared) => tagOf(declared) === tag)
        assert.isDefined(event, tag)
        const declared: Readonly<Record<string, Schema.Top>> = event?.fields ?? {}
        for (const field of Object.values(fields)) {
          const schema = declared[field]
          assert.isDefined(schema, `${tag}.${field}`)
          assert.notStrictEqual(
            schema && SchemaAST.isOptional(schema.ast),
            true,
            `${tag}.${field} may be absent`
          )
        }
      }
    })
  )
})

layer(People.layer)("the upgrade of an audit log that consumers wrote", (it) => {
  it.effect("adds what they had not come to, and nothing twice", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const log = Effect.map(odin.get("/admin/audit-events"), (answer) => ok(answer).events)
      const handled = yield* open(freya, "Handled")
      const waiting = yield* open(freya, "Waiting")
      const parked = yield* open(freya, "Parked")
      ok(yield* odin.delete(`/threads/${handled.id}`))
      const before = yield* log

      yield* Effect.forEach(undo, (statement) => sql.unsafe(statement))
      ok(yield* odin.delete(`/threads/${waiting.id}`))
      ok(yield* odin.delete(`/threads/${parked.id}`))
      ok(yield* odin.post("/admin/bans/freya"))
      assert.deepStrictEqual(yield* log, before)
      yield* sql`insert into event_consumers (name) select unnest(${older}::text[])`
      yield* sql`insert into parked_events (consumer, event_id, since, tries, error)
        select 'audit', id, now(), 5, 'Error: no' from event_log where event->>'id' = ${parked.id} and tag = 'ThreadDeleted'`
      // What is not as it is declared was parked too.
      yield* sql`insert into event_log (occurred_at, event) values (now(), '{"_tag":"ThreadDeleted"}')`
      // Who did it is gone.
      yield* sql`update event_log set actor_id = '00000000000000000990' where tag = 'AccountSuspended'`
      yield* sql.withTransaction(migrateAudit)

      const [suspended, ...deleted] = yield* log
      assert.deepStrictEqual([suspended.type, suspended.enacted_by], ["account_suspended", undefined])
      assert.deepStrictEqual(
        deleted.map(
          ({ enacted_by, thread_id, type }: Readonly<Record<string, { readonly handle: string }>>) => [
            type,
            thread_id,
            enacted_by?.handle
          ]
        ),
        [parked.id, waiting.id, handled.id].map((id) => ["thread_deleted", id, "odin"])
      )
      assert.deepStrictEqual(deleted.slice(2), before)
      assert.deepStrictEqual(yield* sql`select from event_consumers where name in ${sql.in(older)}`, [])
      yield* sql`delete from event_log where tag = 'ThreadDeleted' and not event ? 'id'`
      yield* drainEvents

      ok(yield* odin.delete("/admin/bans/freya"))
      assert.strictEqual((yield* log).length, 5)
      // An older release that still runs, or runs again, reads the log anew.
      const again = sql`insert into audit_events (id, occurred_at, type, subject, cause_id)
        select 'x' || id, occurred_at, 'thread_deleted', '{}', id from event_log where tag = 'ThreadDeleted' and event ? 'id'
        on conflict do nothing`
      yield* again
      assert.strictEqual((yield* log).length, 5)
    })
  )
})
