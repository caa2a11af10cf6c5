import type { SqlClient, Statement } from "effect/sql"
import { handleKey } from "../../domain/account/Handle.ts"

/** The condition that an account has a handle, which is true of one account at most. */
export const byHandle = (sql: SqlClient.SqlClient, handle: string): Statement.Fragment =>
  sql`handle_key = ${handleKey(handle)}`

/**
 * What follows `where` to find the account that has this id or handle. An id goes first: the handle of another account
 * may look like it.
 */
export const byHandleOrId = (sql: SqlClient.SqlClient, text: string): Statement.Fragment =>
  sql`(${byHandle(sql, text)} or id = ${text}) order by id = ${text} desc limit 1`
