import { Effect } from "effect"
import type { AccountId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { isReadable } from "./ReadableSql.ts"

/** How many unread notifications an account finds in its list. */
export const makeUnreadCount = Effect.map(
  QuickReads,
  (sql) => (accountId: AccountId, moderates: boolean) =>
    Effect.map(
      first(sql<{ readonly unread: number }>`select count(*)::int as unread from notifications n
      where n.account_id = ${accountId} and n.status = 'unread'
        and ${isReadable(sql, { accountId, moderates })}`),
      (row) => row?.unread ?? 0
    )
)
