/** Which pages a viewer sees, in SQL: each part of them is found through an index of its own. */
import { nodePolicy } from "../../domain/library/NodeVisibility.ts"
import { readableAs, type Visibility } from "../../domain/shared/Visibility.ts"

/** Visibilities and a viewer as SQL expressions: two arrays of texts, and an account's id or null. */
export interface ViewerSql {
  readonly others: string
  readonly own: string
  readonly viewer: string
}

const listed = (visibilities: ReadonlyArray<Visibility>) =>
  visibilities.map((visibility) => `'${visibility}'`).join(", ")

const array = (visibilities: ReadonlyArray<Visibility>) => `array[${listed(visibilities)}]`

const reader = readableAs(nodePolicy, false)
const staff = readableAs(nodePolicy, true)

/** Everything that the policy lets a viewer see, who holds the permission of staff if the expression is true. */
export const allReadable = (viewer: string, isStaff: string): ViewerSql => {
  const either = (forStaff: ReadonlyArray<Visibility>, forOthers: ReadonlyArray<Visibility>) =>
    `case when ${isStaff} then ${array(forStaff)} else ${array(forOthers)} end`
  return { others: either(staff.others, reader.others), own: either(staff.own, reader.own), viewer }
}

/** The condition that a row of `table` is among them. */
export const isVisible = (table: string, { others, own, viewer }: ViewerSql) =>
  `(${table}.visibility = any(${others}) or (${table}.owner_id = ${viewer} and ${table}.visibility = any(${own})))`

// What most pages are, and what staff see besides. The indexes of 0028 are of the same parts.
const usual = reader.others
const forStaffOnly = staff.others.filter((visibility) => !usual.includes(visibility))

/**
 * The rows of `nodes c` that a viewer sees and that are `within` some siblings: one `select` for each index. Own
 * pages of the usual visibility are seen where those of others are. `columns` and `rest` are given whether the part
 * is of what the viewer sees as the owner only.
 */
export const visibleAmong = (
  within: string,
  { others, own, viewer }: ViewerSql,
  columns: (isOwn: boolean) => string,
  rest: string
): string => {
  const parts = [...usual, ...forStaffOnly].map(
    (visibility) => `(select ${columns(false)} from nodes c
      where '${visibility}' = any(${others}) and ${within} and c.visibility = '${visibility}' ${rest})`
  )
  const ownPart = `(select ${columns(true)} from nodes c
    where c.owner_id = ${viewer} and ${within} and c.visibility not in (${listed(usual)})
      and c.visibility = any(${own}) and c.visibility <> all(${others}) ${rest})`
  return [...parts, ownPart].join(" union all ")
}
