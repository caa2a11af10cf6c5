import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { NotificationEvent, NotificationStatus } from "../../domain/notification/Notification.ts"
import {
  type NewNotification,
  NotificationStore,
  type StoredNotification
} from "../../domain/notification/NotificationStore.ts"
import { AccountId, NotificationId, PostId } from "../../domain/shared/Id.ts"
import { People, peopleVersion } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, isOneOf, run } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

const NotificationRow = Schema.Struct({
  id: NotificationId,
  created_at: Schema.Date,
  event: NotificationEvent,
  status: NotificationStatus,
  source_id: Schema.NullOr(AccountId),
  item_id: Schema.NullOr(PostId),
  people_version: Schema.String
})
const rows = decoded(NotificationRow)
const ids = decoded(Schema.Struct({ id: NotificationId }))

const columns = `id, created_at, event, status, source_id, item_id, ${peopleVersion} as people_version`

const toRow = (one: NewNotification) => ({
  id: one.id,
  created_at: toDate(one.at),
  account_id: one.accountId,
  event: one.event,
  source_id: one.sourceId,
  item_kind: "post",
  item_id: one.postId,
  cause_id: one.causeId,
  status: "unread"
})

export const layer = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* People

    const withSources = Effect.fnUntraced(function* (found: ReadonlyArray<typeof NotificationRow.Type>) {
      const sources = yield* people.resolve(
        found.flatMap(({ source_id }) => source_id ?? []),
        found[0]?.people_version ?? ""
      )
      return found.map(
        (row): StoredNotification => ({
          id: row.id,
          at: toTimestamp(row.created_at),
          event: row.event,
          status: row.status,
          source: row.source_id === null ? undefined : sources.get(row.source_id),
          postId: row.item_id ?? undefined
        })
      )
    })

    return NotificationStore.of({
      insert: Effect.fnUntraced(function* (notifications) {
        if (notifications.length === 0) return
        // Anyone can mention an account that never was.
        const accounts = yield* sql<{ readonly id: AccountId }>`select id from accounts
            where id = any(${notifications.map(({ accountId }) => accountId)}::text[]) for key share`
        const known = new Set(accounts.map(({ id }) => id))
        yield* insertRows(
          sql,
          "notifications",
          notifications.filter(({ accountId }) => known.has(accountId)).map(toRow)
        )
      }, orDefect),

      list: (accountId, statuses) =>
        Effect.flatMap(
          rows.all(
            reads`select ${reads.literal(columns)} from notifications
              where account_id = ${accountId} and (cardinality(${statuses}::text[]) = 0
                or status = any(${statuses}::text[]))
              order by created_at desc, id desc`
          ),
          withSources
        ),

      listByIds: (accountId, wanted) =>
        Effect.flatMap(
          rows.all(
            reads`select ${reads.literal(columns)} from notifications
              where account_id = ${accountId} and ${isOneOf(reads, "id", wanted)}`
          ),
          withSources
        ),

      setStatus: (accountId, wanted, status) =>
        run(sql`update notifications set status = ${status}
          where account_id = ${accountId} and ${isOneOf(sql, "id", wanted)}`),

      findForUpdate: (accountId, wanted) =>
        Effect.map(
          ids.all(
            locking("notification")(sql`select id from notifications
              where account_id = ${accountId} and ${isOneOf(sql, "id", wanted)} order by id for update`)
          ),
          (found) => found.map(({ id }) => id)
        )
    })
  })
).pipe(Layer.provide(People.layer))
