/** The list of all nodes, in one statement: which ones, in which order, and what is shown of each. */
import { Effect } from "effect"
import { listedMax } from "../../domain/library/LibraryLimits.ts"
import { describedMax } from "../../domain/library/NodeBudget.ts"
import { nodePartNames } from "../../domain/library/NodeOmission.ts"
import type { NodeListFilter, NodeListing } from "../../domain/library/NodeQueries.ts"
import { type RowKey, refuseCursor } from "../../domain/shared/ListPlace.ts"
import { SlowReads } from "../shared/Connections.ts"
import { type Listed, listPage, type Total } from "../shared/PagedList.ts"
import { all, containing } from "../shared/Query.ts"
import { checkKey, keyOf, type RowOrder } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { partSizes, partsThatFit } from "../sizes/NodeSize.ts"
import { makeNodeAssembly } from "./NodeAssembly.ts"
import { type NodeRow, nodeColumns } from "./NodeRows.ts"
import { isVisible, visibleAmong } from "./VisibleNodes.ts"

const viewer = { others: "$1::text[]", own: "$2::text[]", viewer: "$3::text" }

/** The condition that a node belongs to the owner (`$4`) and has the text (`$5`) in its name, where these are given. */
const isWanted = (table: string) =>
  `($4::text is null or ${table}.owner_id = $4) and ($5::text is null or ${table}.name_form like $5)`

// A flat list is narrowed only after all nodes were passed through, so these columns of each are kept.
const carried = "c.id, c.owner_id, c.visibility, c.name_form, c.position, c.hide_child_tree, c.field_bytes"

/**
 * The columns that are read of each node, with the sizes of its parts; `shared` is that of the fields it shares with
 * its siblings.
 */
const columnsAt = (level: string, shared: string) => {
  const sizes = partSizes("c", shared)
  return `${carried}, ${nodePartNames.map((part) => `${sizes[part]} as ${part}_size`).join(", ")}, ${level} as level`
}

const order = "level, position, id"

const rowOrder: RowOrder = [
  ["level", "asc", "integer"],
  ["position", "asc", "text"],
  ["id", "asc", "text"]
]

const top = {
  all: { within: "c.parent_id is null", columns: columnsAt("0", "c.own_field_bytes") },
  one: {
    within: "c.id = $8",
    columns: columnsAt(
      "0",
      "coalesce((select p.field_bytes from nodes p where p.id = c.parent_id), c.own_field_bytes)"
    )
  }
}
const below = {
  within: "c.parent_id = above.id",
  columns: columnsAt("above.level + 1", "above.field_bytes")
}

type Part = typeof below

/**
 * The statement for the nodes of the next level. A tree grows only through nodes that are listed, a flat list through
 * all.
 */
const growing = {
  tree: ({ columns, within }: Part) =>
    visibleAmong(
      { node: "c", within: `${within} and ${isWanted("c")}`, columns: () => columns, rest: "" },
      viewer
    ),
  flat: ({ columns, within }: Part) => `select ${columns} from nodes c where ${within}`
}

const matching = {
  tree: "select * from listed l",
  flat: `select * from listed l where ${isVisible("l", viewer)} and ${isWanted("l")}`
}

const shows = {
  description: "page.shows_description",
  meta: "page.shows_meta",
  tags: "page.shows_tags",
  properties: "page.shows_properties",
  content: "page.shows_content"
}

/** Which of the matching nodes are on a page: all that follow a key, which begins with this parameter, or all there are. */
const following = (key: number | undefined) =>
  key === undefined ? "" : `where (${order}) > ($${key}::text::int, $${key + 1}::text, $${key + 2}::text)`

/** The statement for a list of nodes, which lack the parts for which there is no room. */
const textOf = (format: NodeListFilter["format"], from: Part, key?: number) => `
  with recursive listed as (
    select * from (${growing[format](from)}) top
    union all
    select c.* from listed above cross join lateral (${growing[format](below)}) c
      where not above.hide_child_tree and above.level < $6
  ), matching as (${matching[format]}),
  page as (
    select id, ${order.replace(", id", "")}, ${partsThatFit(order, describedMax)},
      row_number() over (order by ${order}) = 1 as is_first,
      case when row_number() over (order by ${order}) = ${listedMax} then ${keyOf(rowOrder)} end as row_key
    from (select * from matching ${following(key)} order by ${order} offset $7::bigint limit ${listedMax}) cut
  )
  select counted.total, counted.following, page.row_key, ${nodeColumns(shows, "page.is_first")}
  from (select count(*)::int as total, ${
    key === undefined ? "0" : `(select count(*)::int from matching ${following(key)})`
  } as following from matching) counted
  left join page on true left join nodes n on n.id = page.id
  order by page.level, page.position, page.id`

const texts = {
  tree: { all: textOf("tree", top.all), one: textOf("tree", top.one) },
  flat: { all: textOf("flat", top.all), one: textOf("flat", top.one) },
  walk: { all: textOf("flat", top.all, 8), one: textOf("flat", top.one, 9) }
}

/** A node; the last one of a full page with where it stands. */
interface KeyedRow extends NodeRow {
  readonly row_key?: RowKey
}

interface Counted extends Total {
  /** In a walk, how many nodes follow those that were shown. */
  readonly following: number
}

export const makeNodeList = Effect.gen(function* () {
  const sql = yield* SlowReads
  const assembly = yield* makeNodeAssembly

  return Effect.fnUntraced(function* (wanted: NodeListFilter) {
    const { depth, filter, format, owner, place, root, text, viewer } = wanted
    const { after = [], page } = place
    const isWalk = place.after !== undefined
    yield* isWalk && format === "tree" ? refuseCursor(place) : checkKey(rowOrder, place)
    const parameters = [
      filter.others,
      filter.own,
      viewer ?? null,
      owner ?? null,
      text === undefined ? null : containing(text),
      depth,
      format === "tree" || isWalk ? 0 : (page - 1) * listedMax,
      ...(root === undefined ? [] : [root]),
      ...after
    ]
    const statement = sql.unsafe<Listed<Counted, KeyedRow>>(
      texts[isWalk ? "walk" : format][root === undefined ? "all" : "one"],
      parameters
    )
    const { facts, rows, total } = listPage<Counted, KeyedRow>(yield* withinSearchTime(all(statement)))
    const hasMore = isWalk ? (facts?.following ?? 0) > rows.length : page * listedMax < total
    const next = hasMore ? rows.at(-1)?.row_key : undefined
    return { total, next, nodes: yield* assembly.listedOf(rows) } satisfies NodeListing
  })
})
