/** Which children of a node are listed, in SQL, and how large they are. */
import type { SqlClient } from "effect/sql"
import { childrenShown } from "../../domain/library/LibraryLimits.ts"
import type { ChildQuery } from "../../domain/library/NodeQueries.ts"
import { lightMax } from "../shared/Places.ts"
import { visibilityCondition } from "../visibility/VisibilitySql.ts"

/** The number of children on a page of their list, as SQL. */
export const pageSize = String(childrenShown)

const largerThan = String(lightMax(childrenShown))

export const offsetOf = ({ place }: ChildQuery): number =>
  place.after === undefined ? (place.page - 1) * childrenShown : 0

/**
 * The size of a child without the fields that it shares with its siblings, as in the index that finds the largest
 * child.
 */
export const ownSize = (child: string) =>
  `${child}.weight + ${child}.field_bytes + octet_length(${child}.description)`

/** The condition that the viewer sees a row of `nodes` under this name. */
export const isSeen = (sql: SqlClient.SqlClient, child: string, { viewer, visible }: ChildQuery) =>
  visibilityCondition(sql, child, visible, viewer, "owner_id")

/** The condition that a row of `nodes` under this name is a child that the viewer sees. */
export const isSeenChild = (sql: SqlClient.SqlClient, child: string, query: ChildQuery) =>
  sql`${sql(`${child}.parent_id`)} = ${query.parent} and ${isSeen(sql, child, query)}`

/** Whether any child may take more than one place, visible or not: the largest one is found in an index. */
export const hasLarge = (sql: SqlClient.SqlClient, { parent }: ChildQuery) =>
  sql`coalesce((select max(${sql.literal(ownSize("child"))}) from nodes child where child.parent_id = ${parent})
    + (select field_bytes from nodes where id = ${parent}) > ${sql.literal(largerThan)}, false) as has_large`
