import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import {
  type AccessKey,
  keysMax,
  listedMax,
  type OwnedAccessKey,
  TooManyAccessKeys
} from "../../domain/accesskey/AccessKey.ts"
import { AccessKeyStore } from "../../domain/accesskey/AccessKeyStore.ts"
import { misc } from "../../domain/field/Json.ts"
import { AccessKeyId, AccountId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, first, idsOf, run, some } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"

const fields = {
  id: AccessKeyId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  name: Schema.String,
  expires_at: Schema.NullOr(Schema.Date),
  revoked_at: Schema.NullOr(Schema.Date)
}

const keyRows = decoded(Schema.Struct(fields))
const OwnedRow = Schema.Struct({ ...fields, account_id: AccountId, people_version: Schema.String })
const ownedRows = decoded(OwnedRow)

const columns = "id, created_at, updated_at, name, expires_at, revoked_at"

const keyOf = (row: Schema.Struct.Type<typeof fields>): AccessKey => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  enabled: row.revoked_at === null,
  ...(row.expires_at === null ? {} : { expires_at: toTimestamp(row.expires_at) })
})

export const layer = Layer.effect(
  AccessKeyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    const withOwners = (rows: ReadonlyArray<typeof OwnedRow.Type>) =>
      people.show(
        rows,
        ({ account_id }) => [account_id],
        (row, { brief }): OwnedAccessKey => ({ ...keyOf(row), created_by: brief(row.account_id) })
      )

    return AccessKeyStore.of({
      listOf: (account) =>
        Effect.map(
          keyRows.all(reads`select ${sql.literal(columns)} from access_keys
            where account_id = ${account} order by id desc`),
          (rows) => rows.map(keyOf)
        ),

      // Ids rise with time. The highest character of an id comes before what stands for none.
      list: (before) =>
        Effect.flatMap(
          ownedRows.all(reads`select ${sql.literal(columns)}, account_id, ${sql.literal(peopleVersion)} as people_version
            from access_keys where id < ${before ?? "w"} order by id desc limit ${listedMax}`),
          withOwners
        ),

      insert: Effect.fnUntraced(function* ({ accountId, at, expiresAt, id, name, tokenHash }) {
        const now = toDate(at)
        // Keys of one account are created one after the other.
        yield* run(locking("account")(sql`select from accounts where id = ${accountId} for no key update`))
        yield* run(sql`delete from access_keys where id in (
          select id from access_keys
          where account_id = ${accountId} and least(revoked_at, expires_at) <= ${now}
            and (select count(*) from access_keys where account_id = ${accountId}) >= ${keysMax}
          order by least(revoked_at, expires_at), id limit 1)`)
        const inserted = yield* keyRows.first(sql`insert into access_keys
            (id, account_id, place, token_hash, name, created_at, updated_at, expires_at)
          select ${id}, ${accountId}, free, ${tokenHash}, ${name}, ${now}, ${now}, ${expiresAt ?? null}::timestamptz
          from generate_series(1, ${keysMax}) free
          where not exists (select from access_keys where account_id = ${accountId} and place = free)
          order by free limit 1
          returning ${sql.literal(columns)}`)
        if (inserted === undefined) return yield* new TooManyAccessKeys({ metadata: { maximum: keysMax } })
        return keyOf(inserted)
      }),

      findOwnerForUpdate: Effect.fnUntraced(function* (id) {
        // Accounts know whether they have a key, so that a change of one is a change of its account.
        yield* run(
          locking("account")(sql`select from accounts
            where id = (select account_id from access_keys where id = ${id}) for no key update`)
        )
        const row = yield* first(
          locking("access key")(
            sql<{
              readonly account_id: AccountId
            }>`select account_id from access_keys where id = ${id} for update`
          )
        )
        return Option.map(Option.fromUndefinedOr(row), ({ account_id }) => account_id)
      }),

      revoke: (id, at) =>
        some(
          locking(
            "access key"
          )(sql`update access_keys set revoked_at = ${toDate(at)}, updated_at = ${toDate(at)}
            where id = ${id} and revoked_at is null returning id`)
        ),

      revokeAllOf: Effect.fnUntraced(function* (account, at, but) {
        yield* run(locking("account")(sql`select from accounts where id = ${account} for no key update`))
        return yield* idsOf(
          locking("access key")(
            sql<{ readonly id: AccessKeyId }>`update access_keys
              set revoked_at = ${toDate(at)}, updated_at = ${toDate(at)}
              where account_id = ${account} and revoked_at is null and id is distinct from ${but ?? null} returning id`
          )
        )
      })
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
