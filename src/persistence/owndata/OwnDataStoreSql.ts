import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreKind } from "../../domain/asset/AssetBytes.ts"
import { OwnDataStore, type StoredOwnData, type TakenOwnData } from "../../domain/owndata/OwnDataStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

interface Row {
  readonly requested_at: Date
  readonly session_hash: Uint8Array
  readonly asked: number
  readonly is_waiting: boolean
  readonly key: string | null
  readonly store: StoreKind | null
  readonly size: string | null
  readonly made_at: Date | null
  readonly expires_at: Date | null
}

const columns =
  "requested_at, session_hash, asked, next_at is not null as is_waiting, key, store, size, made_at, expires_at"

const archiveOf = ({ key, made_at, size, store }: Row): StoredOwnData["archive"] =>
  key === null || store === null || made_at === null
    ? undefined
    : { key, store, size: Number(size), madeAt: toDateTime(made_at) }

const storedOf = (row: Row): StoredOwnData => ({
  requestedAt: toDateTime(row.requested_at),
  session: row.session_hash,
  asked: row.asked,
  isWaiting: row.is_waiting,
  archive: archiveOf(row),
  expiresAt: row.expires_at === null ? undefined : toDateTime(row.expires_at)
})

const found = (row: Row | undefined) => Option.map(Option.fromUndefinedOr(row), storedOf)

export const layer = Layer.effect(
  OwnDataStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads

    const isTaken = ({ accountId, turn }: TakenOwnData) =>
      sql`account_id = ${accountId} and turn = ${turn} and next_at is not null`

    return OwnDataStore.of({
      find: (account) =>
        Effect.map(
          first(
            reads<Row>`select ${reads.literal(columns)} from own_data_exports where account_id = ${account}`
          ),
          found
        ),
      // The row of the account is there also before the first request.
      lock: (account) =>
        Effect.andThen(
          run(sql`select from accounts where id = ${account} for no key update`),
          Effect.map(
            first(
              sql<Row>`select ${sql.literal(columns)} from own_data_exports where account_id = ${account}`
            ),
            found
          )
        ),
      request: ({ accountId, asked, at, session }) =>
        run(sql`insert into own_data_exports (account_id, requested_at, session_hash, asked, next_at)
          values (${accountId}, ${toDate(at)}, ${session}, ${asked}, ${toDate(at)})
          on conflict (account_id) do update set requested_at = excluded.requested_at,
            session_hash = excluded.session_hash, asked = excluded.asked, next_at = excluded.next_at, tries = 0,
            key = null, store = null, size = null, made_at = null, expires_at = null`),
      take: (at, until) =>
        Effect.map(
          // Other instances take others: nobody waits for a row.
          first(sql<{ readonly account_id: AccountId; readonly tries: number; readonly turn: number }>`
            with next as materialized (
              select account_id from own_data_exports where next_at <= ${toDate(at)}
              order by next_at, account_id limit 1 for update skip locked
            )
            update own_data_exports e set next_at = ${toDate(until)}, turn = e.turn + 1, tries = e.tries + 1
            from next where e.account_id = next.account_id
            returning e.account_id, e.tries, e.turn`),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), ({ account_id, tries, turn }) => ({
              accountId: account_id,
              tries,
              turn
            }))
        ),
      keep: (taken, until) =>
        some(
          sql`update own_data_exports set next_at = ${toDate(until)} where ${isTaken(taken)} returning turn`
        ),
      giveBack: (taken, at) =>
        run(
          sql`update own_data_exports set next_at = ${toDate(at)}, tries = tries - 1 where ${isTaken(taken)}`
        ),
      finish: (taken, { key, madeAt, size, store }, expiresAt) =>
        some(sql`update own_data_exports set next_at = null, key = ${key}, store = ${store}, size = ${size},
            made_at = ${toDate(madeAt)}, expires_at = ${toDate(expiresAt)}
          where ${isTaken(taken)} returning turn`),
      giveUp: (taken, expiresAt) =>
        run(
          sql`update own_data_exports set next_at = null, expires_at = ${toDate(expiresAt)} where ${isTaken(taken)}`
        ),
      deleteExpired: (at) => run(sql`delete from own_data_exports where expires_at <= ${toDate(at)}`)
    })
  })
)
