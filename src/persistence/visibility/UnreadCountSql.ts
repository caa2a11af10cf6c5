import { Effect } from "effect"
import type { Receiver } from "../../domain/notification/NotificationStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { isReadable } from "./ReadableNotificationSql.ts"

/** How many unread notifications an account finds in its list. */
export const makeUnreadCount = Effect.map(
  QuickReads,
  (sql) => (receiver: Receiver) =>
    Effect.map(
      first(sql<{ readonly unread: number }>`select count(*)::int as unread from notifications n
      where n.account_id = ${receiver.accountId} and n.status = 'unread'
        and ${isReadable(sql, receiver)}`),
      (row) => row?.unread ?? 0
    )
)
