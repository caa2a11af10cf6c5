import { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect, Layer } from "effect"
import { type KeptAnswer, largeBytesMax, type WholeAnswer } from "../../domain/idempotency/IdempotencyKey.ts"
import { isLarge, withheld } from "../../domain/idempotency/IdempotencyRules.ts"
import { type Claim, type Claimed, IdempotencyStore } from "../../domain/idempotency/IdempotencyStore.ts"
import { makeTurns } from "../../domain/queue/Turns.ts"
import { all, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface Row {
  readonly is_claimed: boolean
  readonly is_same: boolean | null
  readonly status: number | null
  readonly content_type: string | null
  readonly location: string | null
  readonly etag: string | null
  readonly body: Uint8Array | null
  readonly made_id: string | null
}

const answerOf = (row: Row): KeptAnswer | undefined => {
  const { body, made_id, status } = row
  if (status === null) return undefined
  return body === null
    ? { _tag: "Withheld", status, madeId: made_id ?? undefined }
    : {
        _tag: "Whole",
        status,
        contentType: row.content_type ?? undefined,
        location: row.location ?? undefined,
        etag: row.etag ?? undefined,
        body
      }
}

const claimedOf = (row: Row | undefined): Claimed => {
  if (row?.is_claimed === true) return { _tag: "Granted" }
  // What began at the same moment cannot be read yet.
  if (row === undefined) return { _tag: "Taken", found: undefined }
  return { _tag: "Taken", found: { isSameRequest: row.is_same === true, answer: answerOf(row) } }
}

class Full {
  readonly _tag = "Full"
}

/**
 * How many requests with the same key of an account claim it at a time, and wait to do so: a claim locks the row of the
 * key. Those beyond are answered as if another one had it, and leave the connections to others.
 */
const claimsOfKey = { running: 1, present: 8 }

class ManyClaims {
  readonly _tag = "ManyClaims"
}

// Their bodies go with them, up to 256 KiB each.
const forgottenAtOnce = 500

const keepSmall =
  (sql: PgClient.PgClient) =>
  ({ accountId, key, token }: Claim, answer: KeptAnswer, at: DateTime.Utc) => {
    const whole = answer._tag === "Whole" ? answer : undefined
    const madeId = answer._tag === "Withheld" ? answer.madeId : undefined
    return some(sql`update idempotency_keys set answered_at = ${toDate(at)}, status = ${answer.status},
        content_type = ${whole?.contentType ?? null}, location = ${whole?.location ?? null},
        etag = ${whole?.etag ?? null}, body = ${whole?.body ?? null}, made_id = ${madeId ?? null}
      where account_id = ${accountId} and key = ${key} and claim = ${token} and answered_at is null
      returning account_id`)
  }

/** Keeps an answer if its account has room for it, and otherwise that it was given. */
const keepLarge =
  (sql: PgClient.PgClient) =>
  ({ accountId, key, token }: Claim, answer: WholeAnswer, at: DateTime.Utc) => {
    const { body, contentType = null, etag = null, location = null } = answer
    const { madeId = null, status } = withheld(answer)
    return some(sql`with room as (
        update idempotency_counts set large_bytes = large_bytes + ${body.length}::int
        where account_id = ${accountId} and large_bytes + ${body.length}::int <= ${largeBytesMax}::int
        returning account_id
      )
      update idempotency_keys set answered_at = ${toDate(at)}, status = ${status},
        content_type = case when has_room then ${contentType}::text end,
        location = case when has_room then ${location}::text end, etag = case when has_room then ${etag}::text end,
        body = case when has_room then ${body}::bytea end, made_id = case when has_room then null else ${madeId}::text end
      from (select exists (select from room)) as found (has_room)
      where account_id = ${accountId} and key = ${key} and claim = ${token} and answered_at is null
      returning account_id`)
  }

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const inTurn = makeTurns(claimsOfKey, Effect.fail(new ManyClaims()))

    return IdempotencyStore.of({
      claim: ({ accountId, at, fingerprint, key, token }, { abandoned, expired }) =>
        inTurn(
          `${accountId} ${key}`,
          sql<Row>`with claimed as (
            insert into idempotency_keys as kept (account_id, key, fingerprint, claim, claimed_at, backend, backend_at)
            values (${accountId}, ${key}, ${fingerprint}, ${token}, ${toDate(at)}, pg_backend_pid(), clock_timestamp())
            on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, claim = excluded.claim,
              claimed_at = excluded.claimed_at, backend = excluded.backend, backend_at = excluded.backend_at,
              answered_at = null, status = null, content_type = null, location = null, etag = null, body = null,
              made_id = null
            where case when kept.claimed_at < ${toDate(expired)} then true
              when kept.answered_at is not null or kept.fingerprint <> excluded.fingerprint then false
              when kept.claimed_at < ${toDate(abandoned)} then true
              else not exists (select from pg_stat_get_activity(kept.backend) running
                where running.backend_start <= kept.backend_at) end
            returning account_id
          )
          select true as is_claimed, null as is_same, null::smallint as status, null as content_type, null as location,
            null as etag, null::bytea as body, null as made_id from claimed
          union all
          select false, kept.fingerprint = ${fingerprint}, kept.status, kept.content_type, kept.location, kept.etag,
            kept.body, kept.made_id
          from idempotency_keys kept
          where kept.account_id = ${accountId} and kept.key = ${key} and not exists (select from claimed)`
        ).pipe(
          onViolationOf("idempotency_counts_kept", () => new Full()),
          orDefect,
          Effect.map(([row]) => claimedOf(row)),
          Effect.catchTags({
            Full: () => Effect.succeed<Claimed>({ _tag: "Full" }),
            ManyClaims: () => Effect.succeed<Claimed>({ _tag: "Taken", found: undefined })
          })
        ),

      keep: (claim, answer, at) =>
        answer._tag === "Whole" && isLarge(answer)
          ? keepLarge(sql)(claim, answer, at)
          : keepSmall(sql)(claim, answer, at),

      release: ({ accountId, key, token }) =>
        run(sql`with given_back as (
            delete from idempotency_keys
            where account_id = ${accountId} and key = ${key} and claim = ${token} and answered_at is null
            returning account_id, (claimed_at at time zone 'utc')::date as day
          )
          update idempotency_counts counts set kept = kept - 1 from given_back
          where counts.account_id = given_back.account_id and counts.day = given_back.day and counts.kept > 0`),

      // Other instances forget others at the same time.
      forget: (before) =>
        Effect.map(
          all(sql`delete from idempotency_keys where (account_id, key) in (
              select account_id, key from idempotency_keys where claimed_at < ${toDate(before)}
              order by claimed_at limit ${forgottenAtOnce} for update skip locked)
            returning account_id`),
          ({ length }) => length === forgottenAtOnce
        )
    })
  })
)
