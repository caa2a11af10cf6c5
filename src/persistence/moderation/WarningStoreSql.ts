import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { TooManyWarnings, type Warning, warningsMax } from "../../domain/moderation/Warning.ts"
import { type LockedWarning, WarningStore } from "../../domain/moderation/WarningStore.ts"
import type { AccountId, WarningId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion, type Resolved } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface Row {
  readonly id: WarningId
  readonly issued_at: Date
  readonly issuer_id: AccountId | null
  readonly reason: string
  readonly people_version: string
}

const columns = `id, issued_at, issuer_id, reason, ${peopleVersion} as people_version`

const warningOf = ({ id, issued_at, issuer_id, reason }: Row, { brief }: Resolved): Warning => ({
  id,
  issued_at: toTimestamp(issued_at),
  ...(issuer_id === null ? {} : { issued_by: brief(issuer_id) }),
  reason
})

type LockedRow = Pick<Row, "id" | "reason" | "issuer_id">

const lockedOf = (row: LockedRow | undefined): Option.Option<LockedWarning> =>
  row === undefined
    ? Option.none()
    : Option.some({ id: row.id, reason: row.reason, issuerId: row.issuer_id ?? undefined })

export const layer = Layer.effect(
  WarningStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    const warningsOf = (rows: ReadonlyArray<Row>) =>
      people.show(rows, ({ issuer_id }) => [issuer_id], warningOf)

    return WarningStore.of({
      insert: ({ accountId, at, id, issuerId, reason }) =>
        sql`insert into account_warnings (id, account_id, issuer_id, issued_at, reason)
          values (${id}, ${accountId}, ${issuerId}, ${toDate(at)}, ${reason})`.pipe(
          onViolationOf(
            "account_warnings_number",
            () => new TooManyWarnings({ metadata: { maximum: warningsMax } })
          ),
          orDefect,
          Effect.asVoid
        ),

      find: Effect.fnUntraced(function* (accountId, id) {
        const rows = yield* all(reads<Row>`select ${reads.literal(columns)} from account_warnings
          where id = ${id} and account_id = ${accountId}`)
        return Option.fromUndefinedOr((yield* warningsOf(rows))[0])
      }),

      list: (accountId) =>
        Effect.flatMap(
          all(reads<Row>`select ${reads.literal(columns)} from account_warnings
            where account_id = ${accountId} order by issued_at desc, id desc`),
          warningsOf
        ),

      findForUpdate: (accountId, id) =>
        Effect.map(
          first(
            locking("warning")(sql<LockedRow>`select id, reason, issuer_id from account_warnings
              where id = ${id} and account_id = ${accountId} for no key update`)
          ),
          lockedOf
        ),

      setReason: (id, reason) => run(sql`update account_warnings set reason = ${reason} where id = ${id}`),

      delete: (accountId, id) =>
        Effect.map(
          first(
            locking("warning")(sql<LockedRow>`delete from account_warnings
              where id = ${id} and account_id = ${accountId} returning id, reason, issuer_id`)
          ),
          lockedOf
        )
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
