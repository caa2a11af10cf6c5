import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotificationEvent, NotificationStatus } from "../../domain/notification/Notification.ts"
import {
  deletedAfter,
  type NewNotification,
  NotificationStore,
  notificationsMax,
  pageSize,
  type Receiver,
  type StoredItem,
  type StoredNotification
} from "../../domain/notification/NotificationStore.ts"
import { AccountId, Id, NodeId, NotificationId, PostId } from "../../domain/shared/Id.ts"
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, idsOf, isOneOf, run } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { itemSize, sizeFrom } from "../sizes/ItemSizes.ts"
import { isReadable, readableSize } from "../visibility/ReadableNotificationSql.ts"

const NotificationRow = Schema.Struct({
  id: NotificationId,
  created_at: Schema.Date,
  event: NotificationEvent,
  status: NotificationStatus,
  source_id: Schema.NullOr(AccountId),
  item_kind: Schema.NullOr(Schema.Literals(["post", "node", "profile"])),
  item_id: Schema.NullOr(Id),
  item_size: Schema.NullOr(Schema.Int),
  is_readable: Schema.Boolean,
  people_version: Schema.String
})
type NotificationRow = typeof NotificationRow.Type
const rows = decoded(NotificationRow)

interface ReceiverRow {
  readonly account_id: AccountId
  readonly received: number
}

const exactSize = itemSize("n.item_kind", "n.item_id")

/** The columns that are read of `notifications n`, all but the size of its item. */
const columns = `n.id, n.created_at, n.event, n.status, n.source_id, n.item_kind, n.item_id,
  ${peopleVersion} as people_version`

const itemOf = ({ item_id, item_kind, item_size }: NotificationRow): StoredItem | undefined => {
  if (item_id === null) return undefined
  const size = item_size ?? 0
  switch (item_kind) {
    case "node":
      return { kind: "node", id: NodeId.make(item_id), size }
    case "profile":
      return { kind: "profile", id: AccountId.make(item_id), size }
    default:
      return { kind: "post", id: PostId.make(item_id), size }
  }
}

const itemKind = ({ nodeId, postId, profileId }: NewNotification) => {
  if (postId !== undefined) return "post"
  if (nodeId !== undefined) return "node"
  return profileId === undefined ? null : "profile"
}

const toRow = (one: NewNotification) => ({
  id: one.id,
  created_at: toDate(one.at),
  account_id: one.accountId,
  event: one.event,
  source_id: one.sourceId ?? null,
  item_kind: itemKind(one),
  item_id: one.postId ?? one.nodeId ?? one.profileId ?? null,
  reply_id: one.replyId ?? null,
  cause_id: one.causeId,
  status: "unread"
})

type Store = NotificationStore["Service"]

const withSources = (people: ProfileCache["Service"], found: ReadonlyArray<NotificationRow>) =>
  people.show(
    found,
    ({ source_id }) => [source_id],
    (row, { get }): StoredNotification => ({
      id: row.id,
      at: toTimestamp(row.created_at),
      event: row.event,
      status: row.status,
      source: row.source_id === null ? undefined : get(row.source_id),
      item: itemOf(row),
      isReadable: row.is_readable
    })
  )

/** A page and the total, found in one scan of the account's notifications: each page costs the same. */
const page = (
  reads: SqlClient.SqlClient,
  receiver: Receiver,
  statuses: ReadonlyArray<NotificationStatus>,
  place: ListPlace
) => {
  // The offset keeps what may be read from being looked up twice.
  const readable = reads`select n.id, n.created_at, n.item_kind, n.item_id, ${readableSize(reads, receiver)} as most
    from notifications n
    where n.account_id = ${receiver.accountId} and n.status = any(${statuses}::text[]) offset 0`
  return foundPage(reads, {
    place,
    pageSize,
    found: reads`select id, created_at, ${reads.literal(sizeFrom("most", pageSize, exactSize))} as size
      from (${readable}) n where most is not null`,
    size: "size",
    order: [
      ["created_at", "desc", "timestamptz"],
      ["id", "desc", "text"]
    ],
    columns: `${columns}, page.size as item_size, true as is_readable`,
    joins: "join notifications n on n.id = page.id"
  })
}

/**
 * How many notifications each of their accounts has got since its oldest were deleted, these included. Accounts that
 * exist cannot be deleted until the transaction ends; a mention may name one that never existed.
 */
const countReceived = (sql: PgClient.PgClient, notifications: ReadonlyArray<NewNotification>) => {
  const ofEach = Map.groupBy(notifications, ({ accountId }) => accountId)
  const counts = [...ofEach.values()].map(({ length }) => length)
  return locking("notification receiver")(sql<ReceiverRow>`
    insert into notification_receivers as known (account_id, received)
    select a.id, more.received from unnest(${[...ofEach.keys()]}::text[], ${counts}::int[]) more (id, received)
      join accounts a on a.id = more.id order by a.id for key share of a
    on conflict (account_id) do update set received = known.received + excluded.received
    returning account_id, received`)
}

/**
 * Deletes all but the newest notifications of accounts. They are deleted in the order of their ids, as others lock
 * them; with arrays, which are computed once whatever the planner expects.
 */
const deleteOldest = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  accounts: ReadonlyArray<AccountId>
) {
  yield* sql`update notification_receivers set received = 0 where account_id = any(${accounts}::text[])`
  yield* locking("notification")(sql`delete from notifications where id = any(array(
      select id from notifications where id = any(array(
        select old.id from unnest(${accounts}::text[]) receiver (id) cross join lateral (
          select n.id from notifications n where n.account_id = receiver.id
          order by n.created_at desc, n.id desc offset ${notificationsMax}::bigint
        ) old
      )) order by id for update))`)
})

const insert = (sql: PgClient.PgClient): Store["insert"] =>
  Effect.fnUntraced(function* (notifications) {
    if (notifications.length === 0) return
    const receivers = yield* countReceived(sql, notifications)
    const known = new Set(receivers.map(({ account_id }) => account_id))
    yield* insertRows(
      sql,
      "notifications",
      notifications.filter(({ accountId }) => known.has(accountId)).map(toRow)
    )
    const full = receivers.filter(({ received }) => received >= deletedAfter)
    if (full.length > 0)
      yield* deleteOldest(
        sql,
        full.map(({ account_id }) => account_id)
      )
  }, orDefect)

const list = (reads: SqlClient.SqlClient, people: ProfileCache["Service"]): Store["list"] =>
  Effect.fnUntraced(function* (receiver, statuses, place) {
    const { next, rows: found, total } = yield* page(reads, receiver, statuses, place)
    return { total, next, notifications: yield* withSources(people, yield* rows.all(Effect.succeed(found))) }
  })

const listByIds =
  (reads: SqlClient.SqlClient, people: ProfileCache["Service"]): Store["listByIds"] =>
  (receiver, wanted) =>
    Effect.flatMap(
      rows.all(
        reads`select ${reads.literal(`${columns}, ${exactSize} as item_size`)},
            ${isReadable(reads, receiver)} as is_readable
          from notifications n
          where n.account_id = ${receiver.accountId} and ${isOneOf(reads, "n.id", wanted)}`
      ),
      (found) => withSources(people, found)
    )

const setStatus =
  (sql: PgClient.PgClient): Store["setStatus"] =>
  (accountId, wanted, status) =>
    run(sql`update notifications set status = ${status}
      where account_id = ${accountId} and ${isOneOf(sql, "id", wanted)}`)

const findForUpdate =
  (sql: PgClient.PgClient): Store["findForUpdate"] =>
  (accountId, wanted) =>
    idsOf(
      locking("notification")(sql<{ readonly id: NotificationId }>`select id from notifications
        where account_id = ${accountId} and ${isOneOf(sql, "id", wanted)} order by id for update`)
    )

export const layer = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    return NotificationStore.of({
      insert: insert(sql),
      list: list(reads, people),
      listByIds: listByIds(reads, people),
      setStatus: setStatus(sql),
      findForUpdate: findForUpdate(sql)
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
