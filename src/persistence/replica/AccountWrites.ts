/** Where accounts have last written, for all instances. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/shared/Id.ts"
import { first, run } from "../shared/Query.ts"
import { type Place, placeOf } from "./Place.ts"

/**
 * After how long every replica that is read has what was written: more than it may be late, and than it takes to
 * notice that it is. Places are compared within this time alone, so that those of another cluster do no harm, from
 * which a database was restored.
 */
const settled = "30 seconds"

/** No replica has come so far. */
const nowhere = "FFFFFFFF/FFFFFFFF"

/** Notes and finds them at the primary. */
export const makeAccountWrites = (primary: SqlClient.SqlClient, reads: SqlClient.SqlClient) =>
  ({
    // The account may be gone: it may have been its own last write.
    note: (account: AccountId): Effect.Effect<void> =>
      run(primary`insert into account_writes (account_id, place, written_at)
        select id, pg_current_wal_insert_lsn(), clock_timestamp() from accounts where id = ${account}
        on conflict (account_id) do update set
          place = greatest(account_writes.place, excluded.place), written_at = excluded.written_at`),

    /** The least place that a replica must have for an account to see what it wrote, the account itself included. */
    find: (account: AccountId): Effect.Effect<Place> =>
      Effect.map(
        first(
          reads<{ readonly place: string }>`select coalesce(greatest(w.place,
              case when a.created_at > clock_timestamp() - ${settled}::interval then ${nowhere}::pg_lsn end), '0/0')::text
              as place
            from accounts a left join account_writes w
              on w.account_id = a.id and w.written_at > clock_timestamp() - ${settled}::interval
            where a.id = ${account}`
        ),
        (row) => placeOf(row?.place ?? nowhere)
      )
  }) as const
