import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { ErasureStore, type StoredErasure, type TakenErasure } from "../../domain/erasure/ErasureStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { all, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

interface Row {
  readonly account_id: AccountId
  readonly requested_at: Date
  readonly due_at: Date
  readonly keep_posts: boolean
  readonly begun_at: Date | null
  readonly turn: number
}

const columns = "e.account_id, e.requested_at, e.due_at, e.keep_posts, e.begun_at, e.turn"

const takenOf = (row: Row): TakenErasure => ({
  accountId: row.account_id,
  requestedAt: toDateTime(row.requested_at),
  dueAt: toDateTime(row.due_at),
  keepPosts: row.keep_posts,
  begunAt: row.begun_at === null ? undefined : toDateTime(row.begun_at),
  turn: row.turn
})

type Store = ErasureStore["Service"]

const isTaken = (sql: PgClient.PgClient, { accountId, turn }: TakenErasure) =>
  sql`account_id = ${accountId} and turn = ${turn}`

const request = (sql: PgClient.PgClient): Store["request"] =>
  Effect.fnUntraced(function* ({ accountId, at, dueAt, keepPosts }) {
    const row = yield* first(sql<Row>`insert into erasures as e
        (account_id, requested_at, due_at, keep_posts, next_at)
      values (${accountId}, ${toDate(at)}, ${toDate(dueAt)}, ${keepPosts}, ${toDate(dueAt)})
      on conflict (account_id) do update set
        -- One that has begun is locked here as well, and answered as it is.
        due_at = case when e.begun_at is null then least(e.due_at, excluded.due_at) else e.due_at end,
        next_at = case when e.begun_at is null then least(e.next_at, excluded.due_at) else e.next_at end,
        keep_posts = case when e.begun_at is null then excluded.keep_posts else e.keep_posts end
      returning ${sql.literal(columns)}`)
    const stored: StoredErasure | undefined = row && takenOf(row)
    return stored ?? (yield* Effect.die(new Error("An erasure was not stored")))
  })

const take = (sql: PgClient.PgClient): Store["take"] =>
  Effect.fnUntraced(function* (at, until) {
    // Other instances take others: nobody waits for a row.
    const row = yield* first(sql<Row>`with next as materialized (
        select account_id from erasures where next_at <= ${toDate(at)}
        order by next_at, account_id limit 1 for update skip locked
      )
      update erasures e set next_at = ${toDate(until)}, turn = e.turn + 1
      from next where e.account_id = next.account_id
      returning ${sql.literal(columns)}`)
    return Option.map(Option.fromUndefinedOr(row), takenOf)
  })

export const layer = Layer.effect(
  ErasureStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return ErasureStore.of({
      find: (account) =>
        Effect.map(
          first(sql<Row>`select ${sql.literal(columns)} from erasures e where account_id = ${account}`),
          (row) => Option.map(Option.fromUndefinedOr(row), takenOf)
        ),
      request: request(sql),
      cancel: (account) =>
        some(sql`delete from erasures where account_id = ${account} and begun_at is null returning turn`),
      isLastAdministrator: (account) =>
        Effect.map(
          all(sql<{ readonly id: AccountId }>`select id from accounts
            where admin and suspended_at is null order by id = ${account} limit 1`),
          ([one]) => one?.id === account
        ),
      take: take(sql),
      keep: (erasure, until) =>
        some(
          sql`update erasures set next_at = ${toDate(until)} where ${isTaken(sql, erasure)} returning turn`
        ),
      release: (erasure, dueAt) =>
        run(sql`update erasures set next_at = ${toDate(dueAt)} where ${isTaken(sql, erasure)}`),
      begin: (erasure, at) =>
        some(sql`update erasures set begun_at = ${toDate(at)}
          where ${isTaken(sql, erasure)} and begun_at is null returning turn`),
      finish: (erasure) => some(sql`delete from erasures where ${isTaken(sql, erasure)} returning turn`),
      forgetHandles: (at) => run(sql`delete from retired_handles where until <= ${toDate(at)}`)
    })
  })
)
