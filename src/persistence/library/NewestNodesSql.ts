/** The published nodes that changed last. */
import { Effect } from "effect"
import type { NewestNode } from "../../domain/library/NodeQueries.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"

export const makeNewestNodes = Effect.map(
  QuickReads,
  (sql) => (limit: number) =>
    // Together with what shows on a node and changes apart from it. The condition is that of an index.
    all(
      sql<NewestNode>`select n.id, concat_ws('.', n.version, owner.shown_version) as version,
          n.weight as size
        from (select * from nodes where visibility = 'published' order by updated_at desc, id desc limit ${limit}::bigint) n
        join accounts owner on owner.id = n.owner_id
        order by n.updated_at desc, n.id desc`
    )
)
