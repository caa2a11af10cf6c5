/** Which events the database has an audit entry for, and what it writes. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { tagOf } from "../../src/domain/event/EventConsumer.ts"
import { declaredEvents } from "../../src/domain/event/EventLog.ts"
import { AuditEvent, auditFields } from "../../src/domain/moderation/AuditEvent.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

interface Audited {
  readonly tag: string
  readonly type: string
  readonly fields: Readonly<Record<string, string>>
}

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

layer(People.layer)("the entry of an event", (it) => {
  it.effect("names who did it as long as that account is there, and is written once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const log = (actor: string) =>
        sql`insert into event_log (occurred_at, actor_id, event)
          values (now(), ${actor}, '{"_tag": "AccountSuspended", "id": "00000000000000000990"}')`
      yield* log(odin.id)
      yield* log("00000000000000000990")
      yield* sql`select audit(e) from event_log e`
      assert.deepStrictEqual(yield* sql`select type, enacted_by from audit_events order by cause_id`, [
        { type: "account_suspended", enacted_by: odin.id },
        { type: "account_suspended", enacted_by: null }
      ])
    })
  )
})
