import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { misc } from "../../domain/field/Json.ts"
import { type Invitation, invitationsMax, TooManyInvitations } from "../../domain/invitation/Invitation.ts"
import { InvitationStore } from "../../domain/invitation/InvitationStore.ts"
import type { AccountId, InvitationId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion, type Resolved } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { pagedList } from "../shared/PagedList.ts"
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

const columns = `i.id, i.created_at, i.creator_id, i.message, ${peopleVersion} as people_version`

const newestFirst = pagedList<Row>({
  table: "invitations",
  row: "i",
  columns,
  order: [
    ["i.created_at", "desc", "timestamptz"],
    ["i.id", "desc", "text"]
  ],
  pageSize: invitationsMax
})

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
    const people = yield* ProfileCache

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

      list: Effect.fnUntraced(function* (creator, place) {
        const { next, rows, total } = yield* newestFirst.page(reads, {
          place,
          conditions: creator === undefined ? [] : [reads`i.creator_id = ${creator}`]
        })
        return { total, next, invitations: yield* shown(rows) }
      }),

      delete: (id) => some(locking("account")(sql`delete from invitations where id = ${id} returning id`))
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
