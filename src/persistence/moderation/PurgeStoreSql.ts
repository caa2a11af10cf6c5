import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  type PurgeSearch,
  PurgeSignal,
  PurgeStore,
  type QueuedContent,
  type TakenPurge
} from "../../domain/moderation/PurgeStore.ts"
import type { AccountId, CollectionId, Id, NodeId, PostId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, idsOf, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

interface TakenRow {
  readonly account_id: AccountId
  readonly content: QueuedContent
  readonly enacted_by: AccountId | null
  readonly requested_at: Date
  readonly tries: number
  readonly turn: number
}

const takenOf = (row: TakenRow): TakenPurge => ({
  accountId: row.account_id,
  content: row.content,
  enactedBy: row.enacted_by ?? undefined,
  requestedAt: toDateTime(row.requested_at),
  tries: row.tries,
  turn: row.turn
})

/** How many things to remove are looked up at a time. */
const lookedUp = 500
const limit = `limit ${lookedUp}`

const taken = "p.account_id, p.content, p.enacted_by, p.requested_at, p.tries, p.turn"

type Store = PurgeStore["Service"]

const isTaken = (sql: PgClient.PgClient, { accountId, content, turn }: TakenPurge) =>
  sql`account_id = ${accountId} and content = ${content} and turn = ${turn}`

/** The condition that an account made a row up to a time, and that the id of the row is not one of `but`. */
const found = (
  reads: SqlClient.SqlClient,
  { accountId, but, until }: PurgeSearch,
  columns: { readonly owner: string; readonly at: string; readonly id: string }
): Statement.Fragment =>
  reads`${reads.literal(columns.owner)} = ${accountId} and ${reads.literal(columns.at)} <= ${toDate(until)}
    and ${reads.literal(columns.id)} <> all(${but}::text[])`

const request =
  (sql: PgClient.PgClient): Store["request"] =>
  ({ accountId, at, contents, enactedBy }, until) =>
    Effect.map(
      all(
        locking("purge")(sql<TakenRow>`insert into purges as p
            (account_id, content, enacted_by, requested_at, due_at, turn)
          select ${accountId}, content, ${enactedBy ?? null}, ${toDate(at)}, ${toDate(until)}, 0
          from unnest(${contents}::text[]) asked (content) order by content
          on conflict (account_id, content) do update set enacted_by = excluded.enacted_by,
            requested_at = greatest(p.requested_at, excluded.requested_at), due_at = excluded.due_at,
            turn = p.turn + 1, tries = 0
          returning ${sql.literal(taken)}`)
      ),
      (rows) => rows.map(takenOf)
    )

const take = (sql: PgClient.PgClient): Store["take"] =>
  Effect.fnUntraced(function* (at, until) {
    // Other instances take others: nobody waits for a row.
    const row = yield* first(sql<TakenRow>`with next as materialized (
        select account_id, content from purges where due_at <= ${toDate(at)}
        order by due_at, account_id, content limit 1 for update skip locked
      )
      update purges p set due_at = ${toDate(until)}, turn = p.turn + 1, tries = p.tries + 1
      from next where p.account_id = next.account_id and p.content = next.content
      returning ${sql.literal(taken)}`)
    return row && takenOf(row)
  })

const keep =
  (sql: PgClient.PgClient): Store["keep"] =>
  (purge, until) =>
    some(sql`update purges set due_at = ${toDate(until)} where ${isTaken(sql, purge)} returning turn`)

const release =
  (sql: PgClient.PgClient): Store["release"] =>
  (purge, dueAt) =>
    run(sql`update purges set due_at = ${toDate(dueAt)} where ${isTaken(sql, purge)}`)

const finish =
  (sql: PgClient.PgClient): Store["finish"] =>
  (purge) =>
    run(sql`delete from purges where ${isTaken(sql, purge)}`)

const threads =
  (reads: SqlClient.SqlClient): Store["threads"] =>
  (search) =>
    idsOf(
      reads<{ readonly id: PostId }>`select t.id from threads t
        where ${found(reads, search, { owner: "t.author_id", at: "t.created_at", id: "t.id" })}
          and t.deleted_at is null ${reads.literal(limit)}`
    )

const replies =
  (reads: SqlClient.SqlClient): Store["replies"] =>
  (search) =>
    idsOf(
      reads<{ readonly id: PostId }>`select p.id from posts p join threads t on t.id = p.thread_id
        where ${found(reads, search, { owner: "p.author_id", at: "p.created_at", id: "p.id" })}
          and p.ordinal > 0 and p.deleted_at is null and t.deleted_at is null ${reads.literal(limit)}`
    )

const reacts =
  (reads: SqlClient.SqlClient): Store["reacts"] =>
  (search) =>
    Effect.map(
      all(
        reads<{
          readonly id: typeof Id.Type
          readonly post_id: PostId
          readonly thread_id: PostId
        }>`select r.id, r.post_id, p.thread_id from reacts r join posts p on p.id = r.post_id
          where ${found(reads, search, { owner: "r.account_id", at: "r.created_at", id: "r.id" })} ${reads.literal(limit)}`
      ),
      (rows) => rows.map(({ id, post_id, thread_id }) => ({ id, postId: post_id, threadId: thread_id }))
    )

const likes =
  (reads: SqlClient.SqlClient): Store["likes"] =>
  (search) =>
    Effect.map(
      all(
        reads<{ readonly post_id: PostId; readonly thread_id: PostId }>`select l.post_id, l.thread_id
          from likes l
          where ${found(reads, search, { owner: "l.account_id", at: "l.created_at", id: "l.post_id" })} ${reads.literal(limit)}`
      ),
      (rows) => rows.map(({ post_id, thread_id }) => ({ postId: post_id, threadId: thread_id }))
    )

const nodes =
  (reads: SqlClient.SqlClient): Store["nodes"] =>
  (search) =>
    idsOf(
      reads<{ readonly id: NodeId }>`select n.id from nodes n
        where ${found(reads, search, { owner: "n.owner_id", at: "n.created_at", id: "n.id" })} ${reads.literal(limit)}`
    )

const collections =
  (reads: SqlClient.SqlClient): Store["collections"] =>
  (search) =>
    idsOf(
      reads<{ readonly id: CollectionId }>`select c.id from collections c
        where ${found(reads, search, { owner: "c.owner_id", at: "c.created_at", id: "c.id" })} ${reads.literal(limit)}`
    )

export const layer = Layer.effect(
  PurgeStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return PurgeStore.of({
      request: request(sql),
      take: take(sql),
      keep: keep(sql),
      release: release(sql),
      finish: finish(sql),
      isQueued: (account) => some(sql`select from purges where account_id = ${account} limit 1`),
      threads: threads(reads),
      replies: replies(reads),
      reacts: reacts(reads),
      likes: likes(reads),
      nodes: nodes(reads),
      collections: collections(reads)
    })
  })
).pipe(Layer.provideMerge(PurgeSignal.layer))
