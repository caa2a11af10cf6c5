import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { handleKey } from "../../domain/account/HandleKey.ts"
import { migration } from "../shared/migration.ts"

const perStatement = 10_000

/**
 * Of accounts whose handles have become one, the oldest gets the key, so that nobody else can take the
 * handle any more. The others keep their handles; their keys are their ids, which no handle has.
 */
const keysOf = (accounts: ReadonlyArray<{ readonly id: string; readonly handle: string }>) => {
  const taken = new Set<string>()
  return accounts.map(({ handle, id }) => {
    const key = handleKey(handle)
    if (taken.has(key)) return { id, key: `=${id}` }
    taken.add(key)
    return { id, key }
  })
}

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* sql<{
    readonly id: string
    readonly handle: string
  }>`select id, handle from accounts order by created_at, id`
  const keys = keysOf(accounts)
  for (let start = 0; start < keys.length; start += perStatement) {
    const some = keys.slice(start, start + perStatement)
    yield* sql`update accounts set handle_key = keys.key
      from unnest(${some.map(({ id }) => id)}::text[], ${some.map(({ key }) => key)}::text[]) as keys (id, key)
      where accounts.id = keys.id`
  }
})

export default migration([`alter table accounts add column handle_key text`]).pipe(
  Effect.andThen(fill),
  Effect.andThen(
    migration([
      `alter table accounts alter column handle_key set not null`,
      `alter table accounts add constraint accounts_handle_key_key unique (handle_key)`
    ])
  )
)
