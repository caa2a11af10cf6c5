/** Which nodes a reader may read: the policy of nodes as a condition. */
import type { SqlClient, Statement } from "effect/sql"
import { type LibraryReader, nodePolicy } from "../../domain/library/NodeRules.ts"
import { readableAs } from "../../domain/shared/Visibility.ts"
import { visibilityCondition } from "./VisibilitySql.ts"

/** The condition that a reader, who may read nodes at all, may read the row of `nodes` under this name. */
export const readableNode = (
  sql: SqlClient.SqlClient,
  node: string,
  { accountId, manages }: LibraryReader
): Statement.Fragment =>
  visibilityCondition(sql, node, readableAs(nodePolicy, manages), accountId, "owner_id")
