import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { misc } from "../../domain/field/Json.ts"
import {
  openReportsMax,
  openReportsOfTargetMax,
  TooManyReports,
  TooManyReportsOfTarget
} from "../../domain/report/Report.ts"
import {
  managersMax,
  pageSize,
  type ReportFilter,
  type ReportState,
  ReportStore,
  type StoredReport
} from "../../domain/report/ReportStore.ts"
import { builtIn } from "../../domain/role/Role.ts"
import type { AccountId, ReportId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import type { DatagraphItemKind } from "../../domain/vocabulary/Kinds.ts"
import type { ReportStatus } from "../../domain/vocabulary/ReportStatus.ts"
import { ProfileCache, peopleVersion, type Resolved } from "../account/ProfileCache.ts"
import { heldPermissions } from "../role/HeldPermissions.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { pagedList } from "../shared/PagedList.ts"
import { all, first, run } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { itemSize } from "../sizes/ItemSizes.ts"
import { makeFindReported } from "./ReportedSql.ts"

interface StateRow {
  readonly id: ReportId
  readonly target_id: string
  readonly target_kind: DatagraphItemKind
  readonly reported_by: AccountId | null
  readonly handled_by: AccountId | null
  readonly status: ReportStatus
  readonly repeats: boolean
}

interface Row extends StateRow {
  readonly created_at: Date
  readonly updated_at: Date
  readonly comment: string | null
  readonly item_size: number
  readonly people_version: string
}

const stateColumns = "r.id, r.target_id, r.target_kind, r.reported_by, r.handled_by, r.status, r.repeats"
const sizeOfItem = `coalesce(${itemSize("r.target_kind", "r.target_id")}, 0)`
const columns = `${stateColumns}, r.created_at, r.updated_at, r.comment, ${sizeOfItem} as item_size,
  ${peopleVersion} as people_version`

const lastChangedFirst = pagedList<Row>({
  table: "reports",
  row: "r",
  columns,
  order: [
    ["r.updated_at", "desc", "timestamptz"],
    ["r.id", "desc", "text"]
  ],
  pageSize
})

const stateOf = (row: StateRow): ReportState => ({
  id: row.id,
  target: { kind: row.target_kind, id: row.target_id },
  reportedBy: row.reported_by ?? undefined,
  handledBy: row.handled_by ?? undefined,
  status: row.status,
  repeats: row.repeats
})

const reportOf = (row: Row, { brief }: Resolved): StoredReport => ({
  itemSize: row.item_size,
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  target_id: row.target_id,
  target_kind: row.target_kind,
  ...(row.reported_by === null ? {} : { reported_by: brief(row.reported_by) }),
  ...(row.handled_by === null ? {} : { handled_by: brief(row.handled_by) }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  status: row.status
})

interface ManagerRow {
  readonly id: AccountId
  readonly permissions: ReadonlyArray<Permission>
}

export const layer = Layer.effect(
  ReportStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    const shown = (rows: ReadonlyArray<Row>) =>
      people.show(rows, ({ handled_by, reported_by }) => [reported_by, handled_by], reportOf)

    const findReported = yield* makeFindReported

    const conditionsOf = ({ kind, reportedBy, status }: ReportFilter) => [
      ...(reportedBy === undefined ? [] : [reads`r.reported_by = ${reportedBy}`]),
      ...(status === undefined ? [] : [reads`r.status = ${status}`]),
      ...(kind === undefined ? [] : [reads`r.target_kind = ${kind}`])
    ]

    return ReportStore.of({
      insert: ({ at, causeId, comment, id, reportedBy, target }) =>
        sql<{ readonly repeats: boolean }>`insert into reports
            (id, created_at, updated_at, target_id, target_kind, reported_by, comment, cause_id)
          values (${id}, ${toDate(at)}, ${toDate(at)}, ${target.id}, ${target.kind}, ${reportedBy ?? null},
            ${comment ?? null}, ${causeId ?? null})
          on conflict (cause_id) do nothing returning repeats`.pipe(
          onViolationOf("reports_open", () => new TooManyReports({ metadata: { maximum: openReportsMax } })),
          onViolationOf(
            "reports_open_of_target",
            () => new TooManyReportsOfTarget({ metadata: { maximum: openReportsOfTargetMax } })
          ),
          orDefect,
          Effect.map(([row]) => Option.fromUndefinedOr(row))
        ),

      find: Effect.fnUntraced(function* (id) {
        const rows = yield* all(
          reads<Row>`select ${reads.literal(columns)} from reports r where r.id = ${id}`
        )
        return Option.fromUndefinedOr((yield* shown(rows))[0])
      }),

      findForUpdate: (id) =>
        Effect.map(
          first(
            locking("report")(sql<StateRow>`select ${sql.literal(stateColumns)} from reports r
              where r.id = ${id} for no key update`)
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), stateOf)
        ),

      update: (id, { handledBy, status }, at) =>
        run(sql`update reports set updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
            status = coalesce(${status ?? null}, status), handled_by = coalesce(${handledBy ?? null}, handled_by)
          where id = ${id}`),

      list: Effect.fnUntraced(function* (filter, place) {
        const { next, rows, total } = yield* lastChangedFirst.page(reads, {
          place,
          conditions: conditionsOf(filter)
        })
        return { total, next, reports: yield* shown(rows) }
      }),

      managers: Effect.map(
        // The accounts that have a role with a permission to manage reports.
        all(sql<ManagerRow>`with managing as (
            select id from roles where permissions && '{MANAGE_REPORTS,ADMINISTRATOR}'::text[]
          )
          select a.id, ${sql.literal(heldPermissions("a"))} as permissions from accounts a
          where suspended_at is null and (
            (a.admin and ${builtIn.admin} in (select id from managing))
            or ${builtIn.member} in (select id from managing)
            or a.id in (select account_id from account_roles where role_id in (select id from managing)))
          order by a.created_at, a.id limit ${managersMax}`),
        (rows) => rows.map(({ id, permissions }) => ({ accountId: id, permissions: new Set(permissions) }))
      ),

      findReported
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
