import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { JsonObject } from "../../domain/field/Json.ts"

type Cell = JsonObject[string] | Date | bigint

const toJson = (cell: Cell | undefined) => {
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === "bigint" ? String(cell) : (cell ?? null)
}

/**
 * Inserts rows of one shape, or nothing when there are none; a row that breaks a unique constraint is
 * passed over. The statement's text is the same however many rows there are.
 */
export const insertRows = (
  sql: PgClient.PgClient,
  table: string,
  rows: ReadonlyArray<Readonly<Record<string, Cell>>>
): Effect.Effect<void, SqlError.SqlError> => {
  const [row] = rows
  if (row === undefined) return Effect.void
  const columns = Object.keys(row)
  const names = sql.literal(columns.map((name) => `"${name}"`).join(", "))
  const values = rows.map((row) => Object.fromEntries(columns.map((name) => [name, toJson(row[name])])))
  return Effect.asVoid(sql`insert into ${sql(table)} (${names})
    select ${names} from jsonb_populate_recordset(null::${sql(table)}, ${sql.json(values)})
    on conflict do nothing`)
}
