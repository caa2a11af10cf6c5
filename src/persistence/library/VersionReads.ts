/** Versions of pages as answers show them. */
import { Effect, Option } from "effect"
import { versionsOnPage } from "../../domain/library/LibraryLimits.ts"
import type { NodeVersion } from "../../domain/library/NodeVersion.ts"
import type { VersionSpan } from "../../domain/library/VersionRules.ts"
import type {
  DraftPage,
  DraftSelection,
  ListedVersion,
  VersionMark
} from "../../domain/library/VersionStore.ts"
import type { AccountId, NodeId, NodeVersionId } from "../../domain/shared/Id.ts"
import type { RichText } from "../../domain/shared/RichText.ts"
import { People } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { type PageSpan, spanOf } from "../shared/PageSpan.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { passing } from "../shared/VisibilitySql.ts"
import {
  type FoundRow,
  type ListedRow,
  previousOf,
  type VersionRow,
  versionColumns,
  versionOf
} from "./VersionRows.ts"

const order = { forwards: "v.updated_at desc, v.id desc", backwards: "v.updated_at, v.id" }

const newestFirst = (a: ListedRow, b: ListedRow) => (b.ordinal ?? Infinity) - (a.ordinal ?? Infinity)

export const makeVersionReads = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* People
  const columns = {
    full: sql.literal(versionColumns.full),
    brief: sql.literal(versionColumns.brief),
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

  const listedOf = Effect.fnUntraced(function* (rows: ReadonlyArray<ListedRow>) {
    const authors = yield* peopleOf(rows)
    return rows.map((row): ListedVersion => ({ brief: versionOf(row, authors), size: row.weight }))
  })

  // Each part by the index that it needs.
  const list = (nodeId: NodeId, { draft, newest, oldest }: VersionSpan) =>
    Effect.flatMap(
      all(sql<ListedRow>`select ${columns.brief} from node_versions v
          where v.node_id = ${nodeId} and v.status = 'draft' and ${draft}::boolean
        union all
        select ${columns.brief} from node_versions v
          where v.node_id = ${nodeId} and v.ordinal between ${oldest}::int and ${newest}::int`),
      (rows) => (rows.length === 0 ? Effect.succeed([]) : listedOf(rows.toSorted(newestFirst)))
    )

  const draftsOf = (selection: DraftSelection) =>
    selection === "all"
      ? sql`v.status = 'draft'`
      : sql`v.status = 'draft' and v.author_id = ${selection.authorId}
          and ${passing(sql, "n", selection.pages, selection.authorId, "owner_id")}`

  /** An account has few drafts, and of all drafts it is known how many there are. */
  const totalOf = (selection: DraftSelection) =>
    Effect.map(
      first(
        selection === "all"
          ? sql<{
              readonly total: number
            }>`select coalesce(sum(drafts), 0)::int as total from node_draft_counts`
          : sql<{ readonly total: number }>`select count(*)::int as total
              from node_versions v join nodes n on n.id = v.node_id where ${draftsOf(selection)}`
      ),
      (row) => row?.total ?? 0
    )

  const draftRows = (selection: DraftSelection, { backwards, offset, size }: PageSpan) => {
    const pages = selection === "all" ? sql`` : sql`join nodes n on n.id = v.node_id`
    const direction = sql.literal(backwards ? order.backwards : order.forwards)
    return all(sql<ListedRow>`select ${columns.brief} from (
        select v.id from node_versions v ${pages} where ${draftsOf(selection)}
        order by ${direction} offset ${offset}::bigint limit ${size}::bigint
      ) page join node_versions v on v.id = page.id order by v.updated_at desc, v.id desc`)
  }

  const drafts = Effect.fnUntraced(function* (selection: DraftSelection, page: number) {
    const total = yield* totalOf(selection)
    const span = spanOf(page, versionsOnPage, total)
    const rows = span.size === 0 ? [] : yield* draftRows(selection, span)
    return { total, drafts: rows.length === 0 ? [] : yield* listedOf(rows) } satisfies DraftPage
  })

  const inFull = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeVersionId>) {
    if (ids.length === 0) return new Map<NodeVersionId, NodeVersion>()
    const rows = yield* all(
      sql<VersionRow>`select ${columns.full} from node_versions v where ${isOneOf(sql, "v.id", ids)}`
    )
    const authors = yield* peopleOf(rows)
    return new Map(rows.map((row) => [row.id, versionOf(row, authors)]))
  })

  const findUnread = (nodeId: NodeId, id: NodeVersionId) =>
    Effect.map(
      first(sql<{ readonly content: RichText }>`select content from node_versions
        where id = ${id} and node_id = ${nodeId} and status = 'draft' and excerpt is null
          and content is not null`),
      (row) => Option.map(Option.fromUndefinedOr(row), ({ content }) => content)
    )

  return { find, seen, list, drafts, inFull, findUnread } as const
})
