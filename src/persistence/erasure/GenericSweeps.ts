/** What becomes of columns that name accounts, as they are declared: rows go, or name nobody. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Sweep } from "../../domain/erasure/RemainsStore.ts"
import { all, run } from "../shared/Query.ts"
import type { Fate } from "./Fate.ts"
import { type Place, placesOf } from "./PersonalColumns.ts"

/** How many rows a statement changes at most, so that nobody waits long for it. */
export const rowsAtOnce = 500

/** Changes some rows that name an account, in a statement of its own. */
const change =
  (sql: PgClient.PgClient, what: (place: Place) => string) =>
  (place: Place): Sweep => {
    const { column, table } = place
    // The names are those of the declaration.
    const text = `${what(place)} where ctid = any(array(
      select ctid from "${table}" where "${column}" = $1 limit ${rowsAtOnce})) and "${column}" = $1 returning 1`
    return {
      name: `${table}.${column}`,
      step: ({ accountId }) =>
        Effect.map(all(sql.unsafe<object>(text, [accountId])), (rows) => rows.length === rowsAtOnce)
    }
  }

/** A table whose rows are known by nothing but the account has one column of it. */
const swept = (sql: PgClient.PgClient, fate: Fate, what: (place: Place) => string): ReadonlyArray<Sweep> =>
  placesOf(fate).map(change(sql, what))

/** Tables whose rows others lock in an order of their own are changed there; what is left is found here. */
export const makeNobodySweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> =>
  swept(sql, "nobody", ({ column, table }) => `update "${table}" set "${column}" = nobody()`)

export const makeNoneSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> =>
  swept(sql, "none", ({ column, table }) => `update "${table}" set "${column}" = null`)

export const makeRowSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> =>
  swept(sql, "row", ({ table }) => `delete from "${table}"`)

/** Texts of the service in which the account may be named: they are few, and found by looking at all. */
export const makeReplacedSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> =>
  placesOf("replaced").map(({ column, table }) => ({
    name: `${table}.${column}`,
    step: ({ accountId }) =>
      Effect.as(
        run(
          sql.unsafe(
            `update "${table}" set "${column}" = replace("${column}", $1, nobody()) where position($1 in "${column}") > 0`,
            [accountId]
          )
        ),
        false
      )
  }))
