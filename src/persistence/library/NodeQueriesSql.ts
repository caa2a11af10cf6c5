import { Effect, Layer } from "effect"
import { room } from "../../domain/answer/AnswerRoom.ts"
import { leavingOut, type NodePart, nodePartNames } from "../../domain/library/NodeOmission.ts"
import { type NodeFamily, NodeQueries } from "../../domain/library/NodeQueries.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { nodeSize, partSizesBelow } from "../sizes/NodeSize.ts"
import { makeChildPages } from "./ChildPagesSql.ts"
import { makeNewestNodes } from "./NewestNodesSql.ts"
import { makeNodeAssembly } from "./NodeAssembly.ts"
import { makeNodeList } from "./NodeListSql.ts"
import { type NodeRow, nodeColumns, nodeColumnsIf } from "./NodeRows.ts"
import { makeNodeSummaries } from "./NodeSummarySql.ts"

type SizeRow = { readonly id: NodeId } & { readonly [Part in NodePart]: number }

const none: ReadonlyArray<never> = []

/** Nodes with the ids in `$1`, in the order of these, each with as many of its parts as `$2` says. */
const listedText = `select ${nodeColumns({
  description: "wanted.parts > 0",
  meta: "wanted.parts > 1",
  tags: "wanted.parts > 2",
  properties: "wanted.parts > 3",
  content: "wanted.parts > 4"
})} from unnest($1::text[], $2::int[]) with ordinality wanted (id, parts, place)
  join nodes n on n.id = wanted.id order by wanted.place`

/**
 * Nodes with the ids in `$1`, in the order of these: as many of the first ones as `$2` says, and of the others those
 * for which there is room beside all before them. The node with the id `$3` is whole only if there is room.
 */
const familyText = `select ${nodeColumnsIf("wanted.has_room or wanted.id is distinct from $3")} from (
    select page.id, given.place,
      sum(${nodeSize("page", "above")}) over (order by given.place) <= ${room} as has_room
    from unnest($1::text[]) with ordinality given (id, place)
    join nodes page on page.id = given.id left join nodes above on above.id = page.parent_id
  ) wanted join nodes n on n.id = wanted.id where wanted.has_room or wanted.place <= $2 order by wanted.place`

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const assembly = yield* makeNodeAssembly

  const columns = sql.literal(nodeColumns())

  const sizes = partSizesBelow("n", "above")
  const size = sql.literal(nodePartNames.map((part) => `${sizes[part]} as ${part}`).join(", "))

  return NodeQueries.of({
    ...(yield* makeNodeSummaries),
    childPage: yield* makeChildPages,
    list: yield* makeNodeList,
    newest: yield* makeNewestNodes,
    whole: Effect.fnUntraced(function* (ids) {
      if (ids.length === 0) return none
      const rows = yield* all(sql<NodeRow>`select ${columns} from nodes n where ${isOneOf(sql, "n.id", ids)}`)
      const byId = new Map(rows.map((row) => [row.id, row]))
      return yield* assembly.wholeOf(ids.flatMap((id) => byId.get(id) ?? none))
    }),
    listed: Effect.fnUntraced(function* (pages) {
      if (pages.length === 0) return none
      const parameters = [pages.map(({ id }) => id), pages.map(({ parts }) => parts)]
      return yield* assembly.listedOf(yield* all(sql.unsafe<NodeRow>(listedText, parameters)))
    }),
    family: Effect.fnUntraced(function* (id, parent, children, shown) {
      const before = parent === undefined ? [id] : [id, parent]
      const always = before.length + (shown === "all" ? children.length : 1)
      const parameters = [[...before, ...children], always, parent ?? null]
      const rows = yield* all(sql.unsafe<NodeRow>(familyText, parameters))
      const nodeFrom = yield* assembly.assemble(rows)
      const [own, ...others] = rows
      if (own?.id !== id) return undefined
      const above = others.find((row) => row.id === parent)
      return {
        node: nodeFrom(own),
        parent: above && leavingOut(nodeFrom(above), above.omitted ?? none),
        children: others.filter((row) => row !== above).map(nodeFrom)
      } satisfies NodeFamily
    }),
    sizesOf: (ids) =>
      Effect.map(
        ids.length === 0
          ? Effect.succeed(none)
          : all(
              sql<SizeRow>`select n.id, ${size}
                from nodes n left join nodes above on above.id = n.parent_id where ${isOneOf(sql, "n.id", ids)}`
            ),
        (rows) => new Map(rows.map((row) => [row.id, nodePartNames.map((part) => row[part])]))
      )
  })
})

export const layer = Layer.effect(NodeQueries, make).pipe(Layer.provide(ProfileCache.layer))
