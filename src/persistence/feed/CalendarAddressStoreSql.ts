import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import { CalendarAddressStore } from "../../domain/feed/CalendarAddressStore.ts"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import { permissionsNow } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

const readers = decoded(Schema.Struct({ account_id: AccountId, permissions: Schema.Array(Permission) }))

const readerText = `select a.id as account_id, ${permissionsNow("$2")} as permissions
  from calendar_addresses c join accounts a on a.id = c.account_id
  where c.key_hash = $1 and a.suspended_at is null`

export const layer = Layer.effect(
  CalendarAddressStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const sendsMail = (yield* MailTransport) !== undefined

    return CalendarAddressStore.of({
      replace: (account, keyHash, at) =>
        run(sql`insert into calendar_addresses (account_id, key_hash, created_at)
          values (${account}, ${keyHash}, ${toDate(at)})
          on conflict (account_id) do update set key_hash = excluded.key_hash, created_at = excluded.created_at`),
      findReader: (keyHash) =>
        Effect.map(readers.first(reads.unsafe(readerText, [keyHash, sendsMail])), (row) =>
          Option.map(Option.fromUndefinedOr(row), ({ account_id, permissions }) => ({
            _tag: "Account",
            accountId: account_id,
            suspended: false,
            permissions: new Set(permissions),
            // What it shows is not narrowed by any.
            credential: "key"
          }))
        )
    })
  })
)
