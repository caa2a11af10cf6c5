/** What the tables of events and their consequences refuse. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationEvent } from "../../src/domain/notification/Notification.ts"
import { signUp } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const isRefused = (statement: string) =>
  SqlClient.SqlClient.use((sql) => Effect.map(Effect.exit(sql.unsafe(statement)), Exit.isFailure))

layer(TestApp.layer)("the database", (it) => {
  it.effect("takes no event without a tag", () =>
    Effect.gen(function* () {
      for (const event of ['{"_tag":""}', '{"id":"x"}', '{"_tag":null}', "7", "null"]) {
        assert.isTrue(
          yield* isRefused(`insert into event_log (occurred_at, event) values (now(), '${event}')`),
          event
        )
      }
    })
  )

  it.effect("takes exactly the notifications that the domain knows", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp("odin")
      let cause = 0
      const notify = (event: string, item = "null, null") =>
        isRefused(`insert into notifications (id, created_at, account_id, event, item_kind, item_id, cause_id)
          values ('n${++cause}', now(), '${id}', '${event}', ${item}, ${cause})`)
      for (const event of NotificationEvent.literals) assert.isFalse(yield* notify(event), event)
      for (const event of ["", "thread", "Thread_reply"]) assert.isTrue(yield* notify(event), event)
      assert.isFalse(yield* notify("thread_reply", "'post', 'x'"))
      assert.isTrue(yield* notify("thread_reply", "'thread', 'x'"))
      const sql = yield* SqlClient.SqlClient
      const [constraint] = yield* sql<{ readonly text: string }>`select pg_get_constraintdef(oid) as text
        from pg_constraint where conname = 'notifications_event'`
      const allowed = [...(constraint?.text ?? "").matchAll(/'(\w+)'/g)].map(([, name]) => name)
      assert.deepStrictEqual(allowed.toSorted(), NotificationEvent.literals.toSorted())
    })
  )

  it.effect("keeps one notification and one entry for an event", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp("freya")
      const notify = (name: string, event: string, cause: number) =>
        isRefused(`insert into notifications (id, created_at, account_id, event, cause_id)
          values ('${name}', now(), '${id}', '${event}', ${cause})`)
      assert.isFalse(yield* notify("a", "thread_reply", 1000))
      assert.isTrue(yield* notify("b", "thread_reply", 1000))
      assert.isFalse(yield* notify("c", "reply_to_reply", 1000))
      const audit = (name: string) =>
        isRefused(`insert into audit_events (id, occurred_at, type, subject, cause_id)
          values ('${name}', now(), 'thread_deleted', '{}', 1000)`)
      assert.isFalse(yield* audit("a"))
      assert.isTrue(yield* audit("b"))
    })
  )

  it.effect("does not let an event go that is parked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly id: bigint }>`
        insert into event_log (occurred_at, event) values (now(), '{"_tag":"AccountUpdated"}') returning id`
      yield* sql`insert into parked_events (consumer, event_id, since, tries, error)
        values ('notifications', ${row?.id}, now(), 5, 'Error: no')`
      assert.isTrue(yield* isRefused(`delete from event_log where id = ${row?.id}`))
    })
  )
})
