/** Moving and deleting nodes in their tree, which must be locked. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Child, NodeStore } from "../../domain/library/NodeStore.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { locking } from "../shared/Locks.ts"
import { all, idsOf } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeNodePlaces } from "./NodePlaces.ts"
import { makeNodeTags } from "./NodeTags.ts"
import { onTooDeep } from "./NodeWritesSql.ts"

/** The new time of change of a node: `$1`, but always after its last change. */
const changedAt = "greatest($1, updated_at + interval '1 millisecond')"

export const makeNodeMoves = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const places = yield* makeNodePlaces
  const tags = yield* makeNodeTags

  const update = `update nodes set updated_at = ${changedAt}`

  return {
    above: (id) =>
      idsOf(sql<{ readonly id: NodeId }>`with recursive chain as (
          select parent_id as id, 1 as distance from nodes where id = ${id}
          union all
          select n.parent_id, c.distance + 1 from chain c join nodes n on n.id = c.id
        )
        select id from chain where id is not null order by distance`),

    move: Effect.fnUntraced(
      function* (id, to, spot, at) {
        const position = yield* places.one(to, spot, id)
        yield* locking("node")(
          sql.unsafe(`${update}, parent_id = $2, position = $3 where id = $4`, [
            toDate(at),
            to ?? null,
            position,
            id
          ])
        ).pipe(onTooDeep)
      },
      (moving) => orDefect(moving)
    ),

    children: (id, limit) =>
      all(
        sql<Child>`select id, slug, owner_id as "ownerId", visibility from nodes where parent_id = ${id} order by position limit ${limit}`
      ),

    moveAll: Effect.fnUntraced(
      function* (nodes, to, at) {
        if (nodes.length === 0) return
        const positions = yield* places.several(to, nodes.length)
        yield* locking("node")(
          sql.unsafe(
            `${update}, parent_id = $2, position = moved.place
              from unnest($3::text[], $4::text[]) moved (node, place) where id = moved.node`,
            [toDate(at), to ?? null, nodes.map(({ id }) => id), positions]
          )
        ).pipe(onTooDeep)
      },
      (moving) => orDefect(moving)
    ),

    delete: Effect.fnUntraced(function* ({ id, visibility }) {
      const tagIds = yield* tags.tagsOf(id)
      // The nodes that it changes are locked before tags are.
      yield* locking("node")(sql`delete from nodes where id = ${id}`)
      yield* tags.recount(tagIds, visibility, undefined)
    }, orDefect)
  } satisfies Pick<NodeStore["Service"], "above" | "children" | "delete" | "move" | "moveAll">
})
