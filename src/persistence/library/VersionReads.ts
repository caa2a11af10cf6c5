/** Versions of pages as answers show them. */
import { Effect, Option } from "effect"
import type { Statement } from "effect/sql"
import { versionsOnPage } from "../../domain/library/LibraryLimits.ts"
import type { NodeVersion } from "../../domain/library/NodeVersion.ts"
import { type SeenVersions, spanOfPage, totalOf } from "../../domain/library/VersionRules.ts"
import type { DraftSelection, VersionMark, VersionPage } from "../../domain/library/VersionStore.ts"
import type { AccountId, NodeId, NodeVersionId } from "../../domain/shared/Id.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { People } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { extraPlaces, placedPage, type RowSizes, type Standing } from "../shared/LargeRows.ts"
import { type PageSpan, spanOf } from "../shared/PageSpan.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { orderText, type RowOrder } from "../shared/RowOrder.ts"
import { type FoundRow, previousOf, type VersionRow, versionColumns, versionOf } from "./VersionRows.ts"

/** How versions take places. */
const sizes: RowSizes = {
  table: "node_versions v",
  id: "v.id",
  size: "v.weight",
  pageSize: versionsOnPage
}

/** Of one page: the draft, then those that were applied by their numbers. */
const newestFirst: RowOrder = [[`coalesce(v.ordinal, ${2 ** 31 - 1})`, "desc"]]

/** Of all pages. */
const lastChangedFirst: RowOrder = [
  ["v.updated_at", "desc"],
  ["v.id", "desc"]
]

/** A version, or none where the page is empty or large versions take more than one place. */
type ListedRow = { readonly extra: number } & (VersionRow | { readonly id: null })

const hasVersion = (row: ListedRow): row is ListedRow & VersionRow => row.id !== null

export const makeVersionReads = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* People
  const columns = {
    full: sql.literal(versionColumns.full),
    found: sql.literal(versionColumns.found)
  }

  const peopleOf = (rows: ReadonlyArray<VersionRow>, others: ReadonlyArray<AccountId> = []) =>
    people.resolve([...rows.map(({ author_id }) => author_id), ...others], rows[0]?.people_version ?? "")

  const find = Effect.fnUntraced(function* (nodeId: NodeId, mark: VersionMark) {
    const marked = mark === "draft" ? sql`v.status = 'draft'` : sql`v.id = ${mark}`
    const row = yield* first(
      sql<FoundRow>`select ${columns.found} from node_versions v
        left join node_versions p on p.node_id = v.node_id and p.ordinal = v.ordinal - 1
        where v.node_id = ${nodeId} and ${marked}`
    )
    if (row === undefined) return Option.none<NodeVersion>()
    const found = yield* peopleOf([row], row.previous_id === null ? [] : [row.previous_author_id])
    const previous = previousOf(row, found)
    return Option.some({ ...versionOf(row, found), ...(previous === undefined ? {} : { previous }) })
  })

  const seen = (nodeId: NodeId) =>
    Effect.map(
      first(sql<{ readonly applied: number; readonly drafter: AccountId | null }>`select
        coalesce((select max(ordinal) from node_versions where node_id = ${nodeId}), 0) as applied,
        (select author_id from node_versions where node_id = ${nodeId} and status = 'draft') as drafter`),
      (row) => ({ applied: row?.applied ?? 0, drafter: row?.drafter ?? undefined })
    )

  const shown = Effect.fnUntraced(function* (rows: ReadonlyArray<VersionRow>) {
    if (rows.length === 0) return []
    const authors = yield* peopleOf(rows)
    return rows.map((row) => versionOf(row, authors))
  })

  /** These versions in their order, those of them that there are. */
  const inFull = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeVersionId>) {
    if (ids.length === 0) return []
    const versions = yield* shown(
      yield* all(
        sql<VersionRow>`select ${columns.full} from node_versions v where ${isOneOf(sql, "v.id", ids)}`
      )
    )
    const byId = new Map(versions.map((version) => [version.id, version]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  })

  /** A page of a list of which some versions take more than one place. */
  const placed = Effect.fnUntraced(function* (
    condition: Statement.Fragment,
    order: RowOrder,
    standing: Standing & { readonly page: number }
  ) {
    const { ids, total } = yield* placedPage<NodeVersionId>(
      sql,
      sizes,
      { conditions: [condition], order },
      standing
    )
    return { total, versions: yield* inFull(ids) } satisfies VersionPage
  })

  // Each part by the index that it needs.
  const list = Effect.fnUntraced(function* (nodeId: NodeId, seen: SeenVersions, page: number) {
    const { draft, newest, oldest } = spanOfPage(seen, page)
    const listed = sql`v.node_id = ${nodeId} and (v.ordinal is not null or ${seen.hasDraft}::boolean)`
    const rows = yield* all(
      sql<ListedRow>`select counted.extra, v.* from (select ${extraPlaces(sql, sizes, [listed])} as extra) counted
        left join (
          select ${columns.full}, v.ordinal from node_versions v
            where v.node_id = ${nodeId} and v.status = 'draft' and ${draft}::boolean
          union all
          select ${columns.full}, v.ordinal from node_versions v
            where v.node_id = ${nodeId} and v.ordinal between ${oldest}::int and ${newest}::int
        ) v on counted.extra = 0 order by v.ordinal desc nulls first`
    )
    const extra = rows[0]?.extra ?? 0
    const total = totalOf(seen)
    if (extra > 0) return yield* placed(listed, newestFirst, { extra, page, total })
    return { total, versions: yield* shown(rows.filter(hasVersion)) } satisfies VersionPage
  })

  const draftsOf = (selection: DraftSelection) =>
    selection === "all"
      ? sql`v.status = 'draft'`
      : sql`v.status = 'draft' and v.author_id = ${selection.authorId}`

  const standingOf = (selection: DraftSelection) =>
    Effect.map(
      first(
        sql<Standing>`select coalesce(sum(drafts), 0)::int as total,
            ${extraPlaces(sql, sizes, [draftsOf(selection)])} as extra
          from node_draft_counts
          where ${selection === "all" ? sql`true` : sql`account_id = ${selection.authorId}`}`
      ),
      (row) => row ?? { total: 0, extra: 0 }
    )

  const draftRows = (selection: DraftSelection, { backwards, offset, size }: PageSpan) => {
    const direction = sql.literal(orderText(lastChangedFirst, backwards))
    return all(sql<VersionRow>`select ${columns.full} from (
        select v.id from node_versions v where ${draftsOf(selection)}
        order by ${direction} offset ${offset}::bigint limit ${size}::bigint
      ) page join node_versions v on v.id = page.id order by v.updated_at desc, v.id desc`)
  }

  const drafts = Effect.fnUntraced(function* (selection: DraftSelection, page: number) {
    const { extra, total } = yield* standingOf(selection)
    if (extra > 0) return yield* placed(draftsOf(selection), lastChangedFirst, { extra, page, total })
    const span = spanOf(page, versionsOnPage, total)
    const rows = span.size === 0 ? [] : yield* draftRows(selection, span)
    return { total, versions: yield* shown(rows) } satisfies VersionPage
  })

  const findUnread = (nodeId: NodeId, id: NodeVersionId) =>
    Effect.map(
      first(sql<{ readonly content: RichText }>`select content from node_versions
        where id = ${id} and node_id = ${nodeId} and status = 'draft' and excerpt is null
          and content is not null`),
      (row) => Option.map(Option.fromUndefinedOr(row), ({ content }) => content)
    )

  return { find, seen, list, drafts, findUnread } as const
})
