import type { SqlClient, Statement } from "effect/sql"
import { handleKey } from "../../domain/account/Handle.ts"

/**
 * The condition that an account has a handle, and the order in which the account with exactly this one comes first:
 * older accounts may have handles that today's rules take for the same.
 */
export const byHandle = (sql: SqlClient.SqlClient, handle: string) =>
  ({
    condition: sql`handle = ${handle} or handle_key = ${handleKey(handle)}`,
    order: sql`handle = ${handle} desc`
  }) satisfies Record<string, Statement.Fragment>

/**
 * The condition that an account has this id or handle, and the order in which the account with this id comes first. No
 * account has the id of another as its handle.
 */
export const byHandleOrId = (sql: SqlClient.SqlClient, text: string) => {
  const { condition, order } = byHandle(sql, text)
  return {
    condition: sql`${condition} or id = ${text}`,
    order: sql`id = ${text} desc, ${order}`
  } satisfies Record<string, Statement.Fragment>
}
