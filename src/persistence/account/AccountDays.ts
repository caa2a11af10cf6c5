/** How many accounts joined on each day: where pages of the list by age begin is looked up there. */
import type { SqlClient, Statement } from "effect/sql"

/** A day of the list by age, and how many accounts the list has before that day. */
export interface DayStart {
  /** Where the day ends in a descending list, where it begins in an ascending one; the day is in UTC. */
  readonly edge: Date | null
  readonly before: number | null
}

/** The day, if there is one, on which the account joined that has so many others before it in the list. */
export const dayOf = (
  sql: SqlClient.SqlClient,
  { descending, offset }: { readonly descending: boolean; readonly offset: number }
): Statement.Fragment => {
  const direction = sql.literal(descending ? "desc" : "asc")
  return sql`select (day + ${sql.literal(descending ? "1" : "0")})::timestamp at time zone 'UTC' as edge, before
    from (
      select day, accounts, (sum(accounts) over (order by day ${direction}))::int - accounts as before
      from (select day, sum(accounts)::int as accounts from account_days group by day) days
    ) placed
    where before <= ${offset}::bigint and before + accounts > ${offset}::bigint`
}

/** The accounts from there on. */
export const fromDay = (sql: SqlClient.SqlClient, descending: boolean, edge: Date): Statement.Fragment =>
  sql`a.created_at ${sql.literal(descending ? "<" : ">=")} ${edge}`
