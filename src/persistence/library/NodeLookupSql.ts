/** Finding the nodes that rules decide on, and locking them. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { NodeState } from "../../domain/library/NodeRules.ts"
import type { NodeStore } from "../../domain/library/NodeStore.ts"
import type { AccountId, NodeId, NodeVersionId } from "../../domain/shared/Id.ts"
import { parseMark } from "../../domain/shared/Mark.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run } from "../shared/Query.ts"

interface StateRow {
  readonly id: NodeId
  readonly slug: string
  readonly name: string
  readonly owner_id: AccountId
  readonly visibility: Visibility
  readonly parent_id: NodeId | null
  readonly above_owner_id: AccountId | null
  readonly above_visibility: Visibility | null
  readonly current_version_id: NodeVersionId | null
  readonly drafter: AccountId | null
}

const stateOf = (row: StateRow): NodeState => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  ownerId: row.owner_id,
  visibility: row.visibility,
  parentId: row.parent_id ?? undefined,
  above:
    row.above_owner_id === null || row.above_visibility === null
      ? undefined
      : { ownerId: row.above_owner_id, visibility: row.above_visibility },
  currentVersionId: row.current_version_id ?? undefined,
  drafter: row.drafter ?? undefined
})

const columns = `n.id, n.slug, n.name, n.owner_id, n.visibility, n.parent_id, n.current_version_id,
  above.owner_id as above_owner_id, above.visibility as above_visibility,
  (select v.author_id from node_versions v where v.node_id = n.id and v.status = 'draft') as drafter`

const source = "nodes n left join nodes above on above.id = n.parent_id"

/** Selects the node with the id `$1` or the slug `$2`; an id is preferred to a slug that looks like one. */
const named = "where n.id = $1 or n.slug = $2 order by n.id = $1 desc limit 1"

const addressed = (mark: string) => {
  const parsed = parseMark(mark)
  return ["id" in parsed ? parsed.id : "", mark]
}

export const makeNodeLookup = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* QuickReads

  const found = (row: StateRow | undefined) => (row === undefined ? Option.none() : Option.some(stateOf(row)))

  return {
    find: (mark) =>
      Effect.map(
        first(reads.unsafe<StateRow>(`select ${columns} from ${source} ${named}`, addressed(mark))),
        found
      ),

    findForUpdate: Effect.fnUntraced(function* (mark) {
      const locked = yield* first(
        locking("node")(
          sql.unsafe<{ readonly id: NodeId }>(
            `select n.id from nodes n ${named} for no key update`,
            addressed(mark)
          )
        )
      )
      if (locked === undefined) return Option.none()
      // What others committed while it waited for the lock is seen by the next statement only.
      return found(
        yield* first(sql.unsafe<StateRow>(`select ${columns} from ${source} where n.id = $1`, [locked.id]))
      )
    }),

    lockTree: run(locking("library tree")(sql`select lock_library_tree()`)),

    lockGroup: (parent) => run(locking("library group")(sql`select enter_library_group(${parent ?? null})`)),

    lockGroupOf: Effect.fnUntraced(function* (mark) {
      // From now on it stays where it is, which the next statement sees.
      yield* run(locking("library group")(sql`select hold_library_tree()`))
      yield* run(
        locking("library group")(
          sql.unsafe(
            `select enter_library_group((select n.parent_id from nodes n ${named}))`,
            addressed(mark)
          )
        )
      )
    })
  } satisfies Pick<NodeStore["Service"], "find" | "findForUpdate" | "lockGroup" | "lockGroupOf" | "lockTree">
})
