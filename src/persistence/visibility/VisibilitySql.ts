import type { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { VisibilityFilter } from "../../domain/shared/Visibility.ts"

/** The condition that a filter passes a row of `table`, which has a `visibility`; `maker` is the column of who made it. */
export const visibilityCondition = (
  sql: SqlClient.SqlClient,
  table: string,
  { others, own }: VisibilityFilter,
  viewer: AccountId | undefined,
  maker = "author_id"
): Statement.Fragment => {
  const visibility = sql(`${table}.visibility`)
  return viewer === undefined
    ? sql`${visibility} = any(${others}::text[])`
    : sql`${visibility} = any(
        case when ${sql(`${table}.${maker}`)} = ${viewer} then ${own}::text[] else ${others}::text[] end)`
}
