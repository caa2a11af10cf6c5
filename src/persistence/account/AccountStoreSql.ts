import { PgClient } from "@effect/sql-pg"
import { Array, Effect, Layer, Option } from "effect"
import { HandleTaken } from "../../domain/account/Account.ts"
import { AccountStore } from "../../domain/account/AccountStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { insertRows } from "../shared/insertRows.ts"
import { timestamp } from "../shared/Rows.ts"
import { onUniqueViolation, orDefect } from "../shared/SqlErrors.ts"
import { makeTagWriter } from "../tag/TagRows.ts"
import { type AccountRow, accountColumns, accountOf, accountSource } from "./AccountRows.ts"

export const layer = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tags = yield* makeTagWriter
    const columns = sql.literal(accountColumns)
    const source = sql.literal(accountSource)

    const setInterests = Effect.fnUntraced(function* (id: AccountId, names: ReadonlyArray<string>, at: Date) {
      const wanted = yield* tags.resolve(names, at)
      yield* sql`delete from account_interests where account_id = ${id}`
      yield* insertRows(
        sql,
        "account_interests",
        wanted.map((tag_id) => ({ account_id: id, tag_id }))
      )
    })

    return AccountStore.of({
      find: (id) =>
        sql<AccountRow>`select ${columns} from ${source} where a.id = ${id} order by r.rank desc`.pipe(
          Effect.map((rows) =>
            Array.isReadonlyArrayNonEmpty(rows) ? Option.some(accountOf(rows)) : Option.none()
          ),
          orDefect
        ),

      findIdByHandle: (handle) =>
        sql<{ readonly id: AccountId }>`select id from accounts where handle = ${handle}`.pipe(
          Effect.map((rows) => Option.map(Array.head(rows), ({ id }) => id)),
          orDefect
        ),

      any: sql<{ readonly any: boolean }>`select exists (select from accounts) as any`.pipe(
        Effect.map(([row]) => row?.any === true),
        orDefect
      ),

      insert: (account, passwordHash) =>
        Effect.gen(function* () {
          const at = timestamp(account.at)
          // Whoever writes the one row founds the instance; the others wait for that transaction and find it taken.
          const founded = yield* sql`insert into founder (account_id) values (${account.id})
            on conflict do nothing returning account_id`
          const admin = founded.length > 0
          yield* sql`insert into accounts ${sql.insert({
            id: account.id,
            created_at: at,
            updated_at: at,
            handle: account.handle,
            name: account.handle,
            admin
          })}`
          yield* sql`insert into passwords ${sql.insert({
            account_id: account.id,
            created_at: at,
            updated_at: at,
            hash: passwordHash
          })}`
          return admin
        }).pipe(
          sql.withTransaction,
          onUniqueViolation(() => new HandleTaken({ metadata: { handle: account.handle } }))
        ),

      update: (id, { interests, links, meta, ...changes }, at) =>
        Effect.gen(function* () {
          yield* sql`update accounts set ${sql.update({
            ...changes,
            ...(links === undefined ? {} : { links: sql.json(links) }),
            ...(meta === undefined ? {} : { meta: sql.json(meta) }),
            updated_at: timestamp(at)
          })} where id = ${id}`
          if (interests !== undefined) yield* setInterests(id, interests, timestamp(at))
        }).pipe(
          sql.withTransaction,
          onUniqueViolation(() => new HandleTaken({ metadata: { handle: changes.handle ?? "" } }))
        )
    })
  })
)
