import type { SqlClient, Statement } from "effect/sql"
import { handleKey } from "../../domain/account/HandleKey.ts"

/**
 * The condition that an account has a handle, and the order in which the account with exactly this one
 * comes first: older accounts may have handles that are the same to the rules of today.
 */
export const byHandle = (sql: SqlClient.SqlClient, handle: string) =>
  ({
    condition: sql`handle = ${handle} or handle_key = ${handleKey(handle)}`,
    order: sql`handle = ${handle} desc`
  }) satisfies Record<string, Statement.Fragment>
