/** The counts of attempts at passwords, each changed by one statement. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { attemptsMax, nameOf } from "../../domain/authentication/Attempt.ts"
import type { PasswordStore } from "../../domain/authentication/PasswordStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

const counts = decoded(
  Schema.Struct({
    failures: Schema.NullOr(Schema.Int),
    since: Schema.NullOr(Schema.Date),
    all_failures: Schema.NullOr(Schema.Int),
    all_since: Schema.NullOr(Schema.Date)
  })
)

const countOf = (failures: number | null, since: Date | null) =>
  failures === null || since === null ? undefined : { count: failures, since: toDateTime(since) }

type AttemptStore = Pick<
  PasswordStore["Service"],
  "countAttempt" | "clearAttempts" | "isKnown" | "deleteAttempts"
>

export const makeAttempts = Effect.map(
  Effect.all([SqlClient.SqlClient, QuickReads]),
  ([sql, reads]): AttemptStore => ({
    // Once strangers have no attempts left, a further unknown network gets no row: however many try, rows remain few.
    countAttempt: (accountId, source, { at, knownSince, windowStart }) => {
      const isNetwork = source._tag === "Network"
      const [now, start] = [toDate(at), toDate(windowStart)]
      const onceMore = sql`on conflict (account_id, source) do update set
          failures = case when a.since <= ${start} then 1 else a.failures + 1 end,
          since = case when a.since <= ${start} then excluded.since else a.since end
        returning failures, since`
      return Effect.map(
        counts.first(sql`with mine as (
            select from password_attempts where account_id = ${accountId} and source = ${nameOf(source)}
              and signed_in_at > ${toDate(knownSince)}
          ), exhausted as (
            select failures, since from password_attempts where account_id = ${accountId}
              and source = 'strangers' and since > ${start} and failures >= ${attemptsMax.strangers}
          ), own as (
            insert into password_attempts as a (account_id, source, failures, since)
            select ${accountId}, ${nameOf(source)}, 1, ${now}
              where not ${isNetwork} or exists (select from mine) or not exists (select from exhausted)
            ${onceMore}
          ), counted as (
            insert into password_attempts as a (account_id, source, failures, since)
            select ${accountId}, 'strangers', 1, ${now} from own
              where ${isNetwork} and own.failures <= ${attemptsMax.own} and not exists (select from mine)
            ${onceMore}
          )
          select own.failures, own.since,
            case when own.failures is null then exhausted.failures + 1 else counted.failures end as all_failures,
            case when own.failures is null then exhausted.since else counted.since end as all_since
          from (select) one left join own on true left join counted on true left join exhausted on true`),
        (row) => ({
          own: countOf(row?.failures ?? null, row?.since ?? null) ?? { count: 0, since: at },
          strangers: countOf(row?.all_failures ?? null, row?.all_since ?? null)
        })
      )
    },

    clearAttempts: (accountId, source, { strangers }, at) =>
      source._tag === "Session"
        ? run(sql`delete from password_attempts
            where account_id = ${accountId} and source = ${nameOf(source)}`)
        : // The rows in the order in which they are counted, so that two attempts never wait for each other.
          run(sql`with own as (
              insert into password_attempts (account_id, source, failures, since, signed_in_at)
              values (${accountId}, ${nameOf(source)}, 0, ${toDate(at)}, ${toDate(at)})
              on conflict (account_id, source) do update set failures = 0, signed_in_at = excluded.signed_in_at
              returning account_id
            )
            update password_attempts a set failures = greatest(0, a.failures - 1) from own
              where a.account_id = own.account_id and a.source = 'strangers'
                and a.since = ${strangers === undefined ? null : toDate(strangers.since)}`),

    isKnown: (accountId, network, since) =>
      some(reads`select from password_attempts where account_id = ${accountId}
        and source = ${nameOf({ _tag: "Network", network })} and signed_in_at > ${toDate(since)}`),

    deleteAttempts: ({ knownSince, windowStart }) =>
      run(sql`delete from password_attempts where since <= ${toDate(windowStart)}
        and (signed_in_at is null or signed_in_at <= ${toDate(knownSince)})`)
  })
)
