/** What decides, by one row, whether a page may be shown and whether what it shows has changed. */
import { Effect, Option } from "effect"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import { managesLibrary } from "../../domain/library/NodeRules.ts"
import type { NodeSummary } from "../../domain/library/NodeSummary.ts"
import { nodePolicy } from "../../domain/library/NodeVisibility.ts"
import { type Actor, accountIdOf } from "../../domain/shared/Actor.ts"
import type { AccountId, NodeId } from "../../domain/shared/Id.ts"
import { parseMark } from "../../domain/shared/Mark.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { askedWithCaller } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first } from "../shared/Query.ts"
import { allReadable, isVisible, visibleAmong } from "./VisibleNodes.ts"

interface SummaryRow {
  readonly id: NodeId
  readonly owner_id: AccountId
  readonly visibility: Visibility
  readonly parent_id: NodeId | null
  readonly version: string
  readonly shows_own: boolean | null
}

const order = `order by position limit ${childrenShown}`

/** The first children of a page that a viewer sees. */
const firstChildren = (parent: string, viewer: string, isStaff: string, columns: string) => {
  const isParent = `c.parent_id = ${parent}`
  const parts = visibleAmong(
    isParent,
    allReadable(viewer, isStaff),
    (isOwn) => `c.position, ${isOwn} as is_own, ${columns}`,
    order
  )
  return `select * from (${parts}) children ${order}`
}

/** Texts of which none is null, so that two lists of parts are never the same by chance. */
const parts = (expressions: ReadonlyArray<string>) =>
  `concat_ws('.', ${expressions.map((expression) => `coalesce((${expression})::text, '')`).join(", ")})`

const hash = (table: string) => `hashtextextended(${table}.id, ${table}.version)`

/**
 * Of fields, each of which has a version of its own that is higher than all before. A page has its own and those that its
 * children share in its own version; these are those that the page that contains it shares with its siblings.
 */
const fieldsAbove = `(select concat_ws('-', count(*), sum(version)) from property_fields
  where parent_id = above.parent_id)`

const shownHash = (table: string, ids: string) =>
  `select sum(hashtextextended(id, shown_version)) from ${table} where id = any(${ids})`

// Links, people, roles and tags show on pages and change apart from them.
const version = parts([
  "n.id",
  "n.version",
  "above.version",
  "shown.id is not null",
  "select sum(roles) from change_versions",
  shownHash("accounts", "array[n.owner_id, above.owner_id] || children.owner_ids"),
  shownHash("links", "array[n.link_id, above.link_id] || children.link_ids"),
  fieldsAbove,
  "children.number",
  "children.hash",
  `select sum(${hash("t")}) from tags t
    where t.id = any(n.tag_ids || coalesce(above.tag_ids, '{}') || children.tag_ids)`
])

const summaryQuery = (viewer: string, mark: string, isStaff: string) => `
  select n.id, n.owner_id, n.visibility, shown.id as parent_id, children.show_own as shows_own,
    ${version} as version
  from nodes n
  left join nodes above on above.id = n.parent_id
  left join lateral (
    select above.id where ${isVisible("above", allReadable(viewer, isStaff))}
  ) shown on true
  cross join lateral (
    with listed as materialized (
      ${firstChildren("n.id", viewer, isStaff, "c.id, c.version, c.owner_id, c.tag_ids, c.link_id")}
    )
    select count(*) as number, sum(${hash("listed")}) as hash, bool_or(is_own) as show_own,
      array(select distinct owner_id from listed) as owner_ids,
      array(select link_id from listed where link_id is not null) as link_ids,
      array(select unnest(tag_ids) from listed where tag_ids <> '{}') as tag_ids
    from listed
  ) children
  where n.id = coalesce(
    (select id from nodes where id = (${mark}::text[])[1]), (select id from nodes where slug = (${mark}::text[])[2]))`

/** What an address names: an id, which is preferred, or a slug. */
const addressed = (mark: string) => {
  const parsed = parseMark(mark)
  return ["id" in parsed ? parsed.id : "", mark]
}

const summaryOf = (row: SummaryRow): NodeSummary => ({
  id: row.id,
  ownerId: row.owner_id,
  visibility: row.visibility,
  parentId: row.parent_id ?? undefined,
  version: row.version,
  showsOwn: row.shows_own ?? false
})

const isSummary = (row: object): row is SummaryRow => "id" in row && row.id !== null

const asked = askedWithCaller<Option.Option<NodeSummary>, ReadonlyArray<string>>(
  (viewer, parameter, holds) => summaryQuery(viewer, parameter, holds(nodePolicy.staff)),
  (row) => (isSummary(row) ? Option.some(summaryOf(row)) : Option.none())
)

/** The summary of the page that an address names, for any caller. */
export const summaryWithCaller = (mark: string) => asked(addressed(mark))

const summaryText = summaryQuery("$2::text", "$1", "$3::boolean")

const childrenText = `select id from (
  ${firstChildren("$1", "$2::text", "$3::boolean", "c.id")}) children order by position`

export const makeNodeSummaries = Effect.map(QuickReads, (sql) => ({
  /** The same for an account or a guest. */
  findSummary: (mark: string, viewer: Actor) =>
    Effect.map(
      first(
        sql.unsafe<SummaryRow>(summaryText, [
          addressed(mark),
          accountIdOf(viewer) ?? null,
          managesLibrary(viewer)
        ])
      ),
      (row) => (row === undefined ? Option.none() : Option.some(summaryOf(row)))
    ),

  children: (id: NodeId, viewer: Actor) =>
    Effect.map(
      all(
        sql.unsafe<{ readonly id: NodeId }>(childrenText, [
          id,
          accountIdOf(viewer) ?? null,
          managesLibrary(viewer)
        ])
      ),
      (rows) => rows.map((row) => row.id)
    ),

  childrenVersion: (id: NodeId) =>
    Effect.map(
      first(
        sql<{ readonly version: string }>`select concat_ws('.', count(*), sum(hashtextextended(id, version)),
          (select concat_ws('.', sum(links), sum(tags_and_categories)) from change_versions)) as version from nodes where parent_id = ${id}`
      ),
      (row) => row?.version ?? ""
    )
}))
