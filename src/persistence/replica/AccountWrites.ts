/** Where accounts have last written, for all instances. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/shared/Id.ts"
import { askedWithCaller } from "../session/CallerSql.ts"
import { run } from "../shared/Query.ts"
import { type Place, placeOf } from "./Place.ts"

/**
 * After how long every replica that is read has what was written: more than it may be late, and than it takes to
 * notice that it is. Places are compared within this time alone, so that those of another cluster do no harm, from
 * which a database was restored.
 */
const settled = "30 seconds"

/** No replica has come so far. */
const nowhere = "FFFFFFFF/FFFFFFFF"

/**
 * What has everything that a caller wrote, its account included: a place to begin at, or nothing but the primary, if the
 * caller is a guest.
 */
export const writesOfCaller = <A>(answer: (least: Place | undefined) => A) =>
  askedWithCaller(
    (account, settled) => `select coalesce(greatest(w.place,
        case when a.created_at > clock_timestamp() - ${settled}::interval then '${nowhere}'::pg_lsn end), '0/0')::text
        as place
      from accounts a left join account_writes w
        on w.account_id = a.id and w.written_at > clock_timestamp() - ${settled}::interval
      where a.id = ${account}`,
    (row) => answer("place" in row && row.place !== null ? placeOf(row.place) : undefined)
  )(settled)

/** Notes at the primary that an account has written. */
export const makeNoteWrite =
  (primary: SqlClient.SqlClient) =>
  // The account may be gone: it may have been its own last write.
  (account: AccountId): Effect.Effect<void> =>
    run(primary`insert into account_writes (account_id, place, written_at)
        select id, pg_current_wal_insert_lsn(), clock_timestamp() from accounts where id = ${account}
        on conflict (account_id) do update set
          place = greatest(account_writes.place, excluded.place), written_at = excluded.written_at`)
