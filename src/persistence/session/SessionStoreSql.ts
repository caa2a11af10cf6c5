import { type DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import type { Presented } from "../../domain/session/Session.ts"
import { SessionStore } from "../../domain/session/SessionStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import {
  actorOf,
  bearerKindOf,
  type CallerRow,
  callersText,
  callerTexts,
  SqlAskedWithCaller
} from "./CallerSql.ts"

export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads
    const sendsMail = (yield* MailTransport) !== undefined

    const parametersOf = ({ accessKey, accessToken, session }: Presented, at: DateTime.Utc) => [
      session ?? null,
      accessToken?.id ?? accessKey ?? null,
      toDate(at),
      sendsMail
    ]

    const given = (tokenHashes: ReadonlyArray<Uint8Array>) =>
      sql`select decode(given, 'hex') from unnest(${tokenHashes.map((hash) => hash.toHex())}::text[]) given`

    return SessionStore.of({
      // A trigger takes the lock and ends the oldest.
      insert: (session) =>
        run(
          locking("sessions")(sql`insert into sessions (token_hash, account_id, created_at, expires_at)
            values (${session.tokenHash}, ${session.accountId}, ${toDate(session.createdAt)},
              ${toDate(session.expiresAt)})`)
        ),

      // Whoever changes the password locks it too, and ends sessions after that: either this one is there by then, or
      // the password is another one here.
      insertByPassword: ({ accountId, createdAt, expiresAt, tokenHash }, passwordHash) =>
        some(sql`insert into sessions (token_hash, account_id, created_at, expires_at)
          select ${tokenHash}::bytea, account_id, ${toDate(createdAt)}::timestamptz, ${toDate(expiresAt)}::timestamptz
          from passwords where account_id = ${accountId} and hash = ${passwordHash} for share
          returning account_id`),

      delete: (tokenHashes) => run(sql`delete from sessions where token_hash in (${given(tokenHashes)})`),

      findCurrent: (tokenHashes, at) =>
        Effect.map(
          all(reads<{ readonly token_hash: Uint8Array }>`select token_hash from sessions
            where token_hash in (${given(tokenHashes)}) and expires_at > ${toDate(at)}`),
          (rows) => rows.map(({ token_hash }) => token_hash)
        ),

      findStart: (tokenHash) =>
        Effect.map(
          first(
            reads<{
              readonly created_at: Date
            }>`select created_at from sessions where token_hash in (${given([tokenHash])})`
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), ({ created_at }) => toDateTime(created_at))
        ),

      deleteExpired: (at) => run(sql`delete from sessions where expires_at <= ${toDate(at)}`),

      // The lock comes before those of the rows, as where the oldest are ended.
      deleteAllOf: (accountId) =>
        run(
          locking("sessions")(sql`with locked as materialized (select lock_sessions(${accountId}))
            delete from sessions where account_id = ${accountId} and exists (select from locked)`)
        ),

      identify: (presented, at) =>
        Effect.map(
          first(reads.unsafe<CallerRow>(callerTexts[bearerKindOf(presented)], parametersOf(presented, at))),
          (row) => actorOf(row, presented)
        ),

      identifyAll: (presented, at) =>
        Effect.map(
          all(
            // Nothing has an empty hash or id.
            reads.unsafe<CallerRow>(callersText, [
              presented.map(({ session }) => session?.toHex() ?? ""),
              presented.map(({ accessKey, accessToken }) =>
                accessToken === undefined ? (accessKey?.toHex() ?? "") : ""
              ),
              toDate(at),
              sendsMail,
              presented.map(({ accessToken }) => accessToken?.id ?? "")
            ])
          ),
          (rows) => rows.map((row, index) => actorOf(row, presented[index]))
        ),

      identifyWith: (presented, at, asked) => {
        if (!(asked instanceof SqlAskedWithCaller)) {
          return Effect.die(new Error("A question that this storage did not make"))
        }
        const parameters = [...parametersOf(presented, at), asked.parameter]
        return Effect.map(
          first(reads.unsafe<CallerRow>(asked.texts[bearerKindOf(presented)], parameters)),
          (row) => [actorOf(row, presented), asked.read(row ?? {})] as const
        )
      }
    })
  })
)
