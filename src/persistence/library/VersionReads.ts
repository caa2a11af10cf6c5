/** Versions of nodes as answers show them. */
import { Effect, Option } from "effect"
import { versionsOnPage } from "../../domain/library/LibraryLimits.ts"
import type { NodeVersion } from "../../domain/library/NodeVersion.ts"
import { type SeenVersions, spanAfter, spanOfPage, totalOf } from "../../domain/library/VersionRules.ts"
import type { DraftSelection, VersionMark, VersionPage } from "../../domain/library/VersionStore.ts"
import type { AccountId, NodeId, NodeVersionId } from "../../domain/shared/Id.ts"
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { extraPlaces, placedAfter, placedPage, type RowSizes, type Standing } from "../shared/LargeRows.ts"
import { type Listed, listPage, pagedList } from "../shared/PagedList.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { checkKey, type RowOrder } from "../shared/RowOrder.ts"
import { type FoundRow, previousOf, type VersionRow, versionColumns, versionOf } from "./VersionRows.ts"

/** The size of versions, which decides how many places of a page each takes. */
const sizes: RowSizes = {
  table: "node_versions v",
  id: "v.id",
  size: "v.weight",
  pageSize: versionsOnPage
}

/** The order of the versions of a node: its draft, then the applied versions, the highest number first. */
const newestFirst: RowOrder = [[`coalesce(v.ordinal, ${2 ** 31 - 1})`, "desc", "integer"]]

const drafted = pagedList<VersionRow>({
  table: "node_versions",
  row: "v",
  columns: versionColumns.full,
  order: [
    ["v.updated_at", "desc", "timestamptz"],
    ["v.id", "desc", "text"]
  ],
  pageSize: versionsOnPage,
  size: sizes.size
})

interface Numbered {
  readonly ordinal: number | null
}

/**
 * The key of the last version that is shown, if older ones follow; undefined is none. A draft has the number that it will
 * have when it is applied, so that it is not shown again if it is applied meanwhile.
 */
const nextAfter = ({ applied }: SeenVersions, ordinal: number | null | undefined) => {
  if (ordinal === undefined) return undefined
  const number = ordinal ?? applied + 1
  return number > 1 ? [String(number)] : undefined
}

export const makeVersionReads = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* ProfileCache
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

  /** The versions of these ids that exist, in the order of the ids. */
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

  /** The number of an applied version, which a draft has not. */
  const ordinalOf = (id: NodeVersionId | undefined) =>
    id === undefined
      ? Effect.undefined
      : Effect.map(
          first(sql<Numbered>`select v.ordinal from node_versions v where v.id = ${id}`),
          (row) => row?.ordinal
        )

  // The draft and the applied versions are found by an index each.
  const list = Effect.fnUntraced(function* (nodeId: NodeId, seen: SeenVersions, place: ListPlace) {
    yield* checkKey(newestFirst, place)
    const { after, page } = place
    const { draft, newest, oldest } =
      after === undefined ? spanOfPage(seen, page) : spanAfter(Math.min(Number(after[0]), seen.applied + 1))
    const isListed = sql`v.node_id = ${nodeId} and (v.ordinal is not null or ${seen.hasDraft}::boolean)`
    const total = totalOf(seen)
    const listed = yield* all(
      sql<
        Listed<Standing, VersionRow & Numbered>
      >`select ${total}::int as total, counted.extra, v.* from (select ${extraPlaces(sql, sizes, [isListed])} as extra) counted
        left join (
          select ${columns.full}, v.ordinal from node_versions v
            where v.node_id = ${nodeId} and v.status = 'draft' and ${draft}::boolean
          union all
          select ${columns.full}, v.ordinal from node_versions v
            where v.node_id = ${nodeId} and v.ordinal between ${oldest}::int and ${newest}::int
        ) v on counted.extra = 0 order by v.ordinal desc nulls first`
    )
    const { facts, rows } = listPage<Standing, VersionRow & Numbered>(listed)
    if (facts === undefined || facts.extra === 0) {
      const next = nextAfter(seen, rows.at(-1)?.ordinal)
      return { total, next, versions: yield* shown(rows) } satisfies VersionPage
    }
    const query = { conditions: [isListed], order: newestFirst }
    const placed =
      after === undefined
        ? yield* placedPage<NodeVersionId>(sql, sizes, query, { ...facts, page })
        : yield* placedAfter<NodeVersionId>(sql, sizes, query, { ...facts, after })
    const next = nextAfter(seen, yield* ordinalOf(placed.ids.at(-1)))
    return { total: placed.total, next, versions: yield* inFull(placed.ids) } satisfies VersionPage
  })

  const drafts = Effect.fnUntraced(function* (selection: DraftSelection, place: ListPlace) {
    const isAll = selection === "all"
    const { next, rows, total } = yield* drafted.page(sql, {
      place,
      conditions: [sql`v.status = 'draft'`, ...(isAll ? [] : [sql`v.author_id = ${selection.authorId}`])],
      facts: sql`select coalesce(sum(drafts), 0)::int as total from node_draft_counts
        where ${isAll ? sql`true` : sql`account_id = ${selection.authorId}`}`
    })
    return { total, next, versions: yield* shown(rows) } satisfies VersionPage
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
