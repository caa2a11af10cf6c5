/** How PostgreSQL finds out which notifications an account sees. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { isReadable } from "../../src/persistence/visibility/ReadableNotificationSql.ts"
import * as Database from "../support/database.ts"

layer(Database.fresh)("notifications that an account sees", (it) => {
  it.effect("are counted in an index, and each item is looked up by itself, however few there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const account = AccountId.make("a0000000000000000010")
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'a' || lpad(n::text, 18, '0') || '0', 'epoch', 'epoch', 'many' || n, 'many' || n, 'many'
        from generate_series(1, 5000) n`
      yield* sql`insert into notifications (id, created_at, account_id, event, status, cause_id, item_kind, item_id)
        select 'n' || lpad(n::text, 18, '0') || '0', 'epoch', ${account}, 'report_submitted', 'unread', -n,
          'profile', 'a' || lpad(n::text, 18, '0') || '0' from generate_series(1, 1000) n`
      yield* sql`insert into notifications (id, created_at, account_id, event, status, cause_id)
        select 'o' || lpad(n::text, 18, '0') || '0', 'epoch', 'a' || lpad((n % 5000 + 1)::text, 18, '0') || '0',
          'attendee_removed', 'unread', -n - 10000 from generate_series(1, 40000) n`
      yield* sql`vacuum analyze notifications, accounts, posts, threads, nodes`
      const receiver = { accountId: account, moderates: false, managesLibrary: false }
      const reads = { readsThreads: true, readsLibrary: true, readsProfiles: true }
      const rows = yield* sql<{ readonly "QUERY PLAN": string }>`explain (costs off)
        select count(*) from notifications n where n.account_id = ${account} and n.status = 'unread'
          and ${isReadable(sql, { ...receiver, ...reads })}`
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
      assert.include(plan, "Index Only Scan using notifications_counted")
      assert.notInclude(plan, "hashed")
    })
  )
})
