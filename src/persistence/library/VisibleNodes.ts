/** Which nodes a viewer sees, in SQL: each part of them is found through an index of its own. */
import { nodePolicy } from "../../domain/library/NodeRules.ts"
import { readableAs, type Visibility } from "../../domain/shared/Visibility.ts"

/** Visibilities and a viewer as SQL expressions: two arrays of texts, and an account's id or null. */
export interface ViewerSql {
  readonly others: string
  readonly own: string
  readonly viewer: string
}

/** The condition that a viewer sees a row of `nodes` under this name. */
export const isVisible = (node: string, { others, own, viewer }: ViewerSql): string =>
  `${node}.visibility = any(case when ${node}.owner_id = ${viewer} then ${own} else ${others} end)`

const listed = (visibilities: ReadonlyArray<Visibility>) =>
  visibilities.map((visibility) => `'${visibility}'`).join(", ")

// The visibilities that everyone sees, and those that only staff see besides. The partial indexes of nodes have the
// same.
const usual = readableAs(nodePolicy, false).others
const forStaffOnly = readableAs(nodePolicy, true).others.filter((visibility) => !usual.includes(visibility))

/** Siblings of which a viewer sees some. */
interface Siblings {
  /** The name of their rows of `nodes` in the expressions below. */
  readonly node: string
  /** The condition that a row is one of them. */
  readonly within: string
  /** The columns that are read of each; `isOwn` says whether the viewer sees these nodes only as their owner. */
  readonly columns: (isOwn: boolean) => string
  /** What follows the conditions: an order and a limit, or nothing. */
  readonly rest: string
}

/**
 * The siblings that a viewer sees: one `select` for each index. Own nodes of the usual visibility are seen where those
 * of others are.
 */
export const visibleAmong = (
  { columns, node, rest, within }: Siblings,
  { others, own, viewer }: ViewerSql
): string => {
  const parts = [...usual, ...forStaffOnly].map(
    (visibility) => `(select ${columns(false)} from nodes ${node}
      where '${visibility}' = any(${others}) and ${within} and ${node}.visibility = '${visibility}' ${rest})`
  )
  const ownPart = `(select ${columns(true)} from nodes ${node}
    where ${node}.owner_id = ${viewer} and ${within} and ${node}.visibility not in (${listed(usual)})
      and ${node}.visibility = any(${own}) and ${node}.visibility <> all(${others}) ${rest})`
  return [...parts, ownPart].join(" union all ")
}
