import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { misc } from "../../domain/field/Json.ts"
import { type Invitation, invitationsMax, TooManyInvitations } from "../../domain/invitation/Invitation.ts"
import { InvitationStore } from "../../domain/invitation/InvitationStore.ts"
import type { AccountId, InvitationId } from "../../domain/shared/Id.ts"
import { People, peopleVersion, type Resolved } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, some } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface Row {
  readonly id: InvitationId
  readonly created_at: Date
  readonly creator_id: AccountId
  readonly message: string | null
  readonly people_version: string
}

/** The total with an invitation of the page, or with none where the page is empty. */
type PageRow = { readonly total: number } & (Row | { readonly id: null })

const columns = `i.id, i.created_at, i.creator_id, i.message, ${peopleVersion} as people_version`

const invitationOf = (row: Row, { brief }: Resolved): Invitation => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.created_at),
  misc,
  creator: brief(row.creator_id),
  ...(row.message === null ? {} : { message: row.message })
})

export const layer = Layer.effect(
  InvitationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* People

    const shown = (rows: ReadonlyArray<Row>) =>
      people.show(rows, ({ creator_id }) => [creator_id], invitationOf)

    return InvitationStore.of({
      insert: ({ at, creatorId, id, message }) =>
        sql`insert into invitations (id, created_at, creator_id, message)
          values (${id}, ${toDate(at)}, ${creatorId}, ${message ?? null})`.pipe(
          onViolationOf(
            "invitations_number",
            () => new TooManyInvitations({ metadata: { maximum: invitationsMax } })
          ),
          orDefect,
          Effect.asVoid
        ),

      find: Effect.fnUntraced(function* (id) {
        const rows = yield* all(
          reads<Row>`select ${reads.literal(columns)} from invitations i where i.id = ${id}`
        )
        return Option.fromUndefinedOr((yield* shown(rows))[0])
      }),

      list: Effect.fnUntraced(function* (creator, page) {
        const mine = creator === undefined ? reads.literal("true") : reads`creator_id = ${creator}`
        const rows = yield* all(reads<PageRow>`select counted.total, ${reads.literal(columns)}
          from (select count(*)::int as total from invitations where ${mine}) counted
          left join (
            select * from invitations where ${mine} order by created_at desc, id desc
            offset ${(page - 1) * invitationsMax}::bigint limit ${reads.literal(String(invitationsMax))}
          ) i on true order by i.created_at desc, i.id desc`)
        const listed = rows.flatMap((row) => (row.id === null ? [] : [row]))
        return { total: rows[0]?.total ?? 0, invitations: yield* shown(listed) }
      }),

      delete: (id) => some(locking("account")(sql`delete from invitations where id = ${id} returning id`))
    })
  })
).pipe(Layer.provide(People.layer))
