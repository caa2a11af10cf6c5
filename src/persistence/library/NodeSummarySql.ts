/** What decides, by one row, whether a node may be shown and whether what it shows has changed. */
import { Effect, Option } from "effect"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import { type NodeSummary, readableNodes } from "../../domain/library/NodeRules.ts"
import { type Actor, accountIdOf } from "../../domain/shared/Actor.ts"
import type { AccountId, NodeId } from "../../domain/shared/Id.ts"
import { parseMark } from "../../domain/shared/Mark.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first, idsOf } from "../shared/Query.ts"
import { isVisible, type ViewerSql, visibleAmong } from "./VisibleNodes.ts"

interface SummaryRow {
  readonly id: NodeId
  readonly owner_id: AccountId
  readonly visibility: Visibility
  readonly parent_id: NodeId | null
  readonly version: string
  readonly shows_own: boolean | null
}

const viewer: ViewerSql = { others: "$1::text[]", own: "$2::text[]", viewer: "$3::text" }

const viewerParameters = (actor: Actor) => {
  const { others, own } = readableNodes(actor)
  return [others, own, accountIdOf(actor) ?? null]
}

const order = `order by position limit ${childrenShown}`

/** The first children of a node that the viewer sees, with these columns of rows `child`. */
const firstChildren = (parent: string, columns: string) => {
  const parts = visibleAmong(
    {
      node: "child",
      within: `child.parent_id = ${parent}`,
      columns: (isOwn) => `child.position, ${isOwn} as is_own, ${columns}`,
      rest: order
    },
    viewer
  )
  return `select * from (${parts}) children ${order}`
}

/** Texts of which none is null, so that two lists of parts are never the same by chance. */
const parts = (expressions: ReadonlyArray<string>) =>
  `concat_ws('.', ${expressions.map((expression) => `coalesce((${expression})::text, '')`).join(", ")})`

const hash = (table: string) => `hashtextextended(${table}.id, ${table}.version)`

const shownHash = (table: string, ids: string) =>
  `select sum(hashtextextended(id, shown_version)) from ${table} where id = any(${ids})`

const isParentVisible = isVisible("parent", viewer)

// Links, people, roles and tags show on nodes and change apart from them. A node has its own fields of properties and
// those that its children share in its own version; each of those that it shares with its siblings has a version that
// is higher than all before.
const version = parts([
  "node.id",
  "node.version",
  "parent.version",
  `(${isParentVisible}) is true`,
  "select sum(roles) from change_versions",
  shownHash("accounts", "array[node.owner_id, parent.owner_id] || children.owner_ids"),
  shownHash("links", "array[node.link_id, parent.link_id] || children.link_ids"),
  "select concat_ws('-', count(*), sum(version)) from property_fields where parent_id = parent.parent_id",
  "children.number",
  "children.hash",
  `select sum(${hash("tag")}) from tags tag
    where tag.id = any(node.tag_ids || coalesce(parent.tag_ids, '{}') || children.tag_ids)`
])

/** The summary of the node that an address names by an id, which is preferred, or by a slug. */
const summaryText = `
  select node.id, node.owner_id, node.visibility, case when ${isParentVisible} then parent.id end as parent_id,
    children.shows_own, ${version} as version
  from nodes node
  left join nodes parent on parent.id = node.parent_id
  cross join lateral (
    with listed as materialized (
      ${firstChildren("node.id", "child.id, child.version, child.owner_id, child.tag_ids, child.link_id")}
    )
    select count(*) as number, sum(${hash("listed")}) as hash, bool_or(is_own) as shows_own,
      array(select distinct owner_id from listed) as owner_ids,
      array(select link_id from listed where link_id is not null) as link_ids,
      array(select unnest(tag_ids) from listed where tag_ids <> '{}') as tag_ids
    from listed
  ) children
  where node.id = coalesce((select id from nodes where id = $4), (select id from nodes where slug = $5))`

const childrenText = `select id from (${firstChildren("$4", "child.id")}) children order by position`

const summaryOf = (row: SummaryRow): NodeSummary => ({
  id: row.id,
  ownerId: row.owner_id,
  visibility: row.visibility,
  parentId: row.parent_id ?? undefined,
  version: row.version,
  showsOwn: row.shows_own ?? false
})

export const makeNodeSummaries = Effect.map(QuickReads, (sql) => ({
  findSummary: (mark: string, actor: Actor) => {
    const parsed = parseMark(mark)
    const parameters = [...viewerParameters(actor), "id" in parsed ? parsed.id : "", mark]
    return Effect.map(first(sql.unsafe<SummaryRow>(summaryText, parameters)), (row) =>
      Option.map(Option.fromUndefinedOr(row), summaryOf)
    )
  },

  children: (id: NodeId, actor: Actor) =>
    idsOf(sql.unsafe<{ readonly id: NodeId }>(childrenText, [...viewerParameters(actor), id])),

  childrenVersion: (id: NodeId) =>
    Effect.map(
      first(
        sql<{ readonly version: string }>`select concat_ws('.', count(*), sum(hashtextextended(id, version)),
          (select concat_ws('.', sum(links), sum(tags_and_categories)) from change_versions)) as version from nodes where parent_id = ${id}`
      ),
      (row) => row?.version ?? ""
    )
}))
