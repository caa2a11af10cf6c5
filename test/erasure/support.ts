/** What tests of erasures have in common. */
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ErasureRuns } from "../../src/domain/erasure/ErasureRuns.ts"
import { Purges } from "../../src/domain/moderation/Purges.ts"
import { ok } from "../support/answers.ts"
import { drainEvents, type Person, password } from "../support/people.ts"

/** Where an account asks for its erasure. */
export const ownPath = "/accounts/self/erasure"

/** Where staff do. */
export const pathOf = ({ id }: { readonly id: string }) => `/admin/accounts/${id}/erasure`

export const ask = (person: Person, keepPosts: boolean) =>
  Effect.map(person.post(ownPath, { keep_posts: keepPosts, password }), ok)

export const order = (by: Person, of: { readonly id: string }, keepPosts: boolean) =>
  Effect.map(by.post(pathOf(of), { keep_posts: keepPosts, at_once: true }), ok)

/** Does what is due of erasures. */
export const goOn = Effect.flatMap(ErasureRuns, ({ drain }) => drain)

/** The erasures that are due and not done. */
const due = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDateUtc(yield* DateTime.now)
  return yield* sql<{ readonly account_id: string }>`select account_id from erasures where due_at <= ${now}`
})

/** Lets time pass until every erasure that is due is done, and answers those that are not done after long. */
export const untilErased = Effect.gen(function* () {
  const { drain: drainPurges } = yield* Purges
  yield* drainEvents
  yield* goOn
  for (let minutes = 0; minutes < 20 && (yield* due).length > 0; minutes++) {
    yield* drainPurges
    yield* TestClock.adjust("1 minute")
    yield* goOn
  }
  yield* drainEvents
  return yield* due
})

interface Column {
  readonly table: string
  readonly column: string
}

/** The columns, as `table.column`, that have a text anywhere in what they hold. */
export const columnsWith = (text: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.gen(function* () {
      const columns = yield* sql<Column>`select table_name as "table", column_name as "column"
        from information_schema.columns where table_schema = 'public' order by 1, 2`
      const found: Array<string> = []
      for (const { column, table } of columns) {
        // What bytes hold is looked at as text, as far as it is one.
        const rows = yield* sql.unsafe<object>(
          `select 1 from "${table}" where position($1 in coalesce("${column}"::text, '')) > 0
            or position(encode(convert_to($1, 'UTF8'), 'hex') in "${column}"::text) > 0 limit 1`,
          [text]
        )
        if (rows.length > 0) found.push(`${table}.${column}`)
      }
      return found
    })
  )
