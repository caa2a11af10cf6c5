import { Effect, Layer } from "effect"
import { type NodeLength, NodeReader, type WantedNode } from "../../domain/library/NodeReader.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { budget } from "../../domain/thread/PageBudget.ts"
import { People } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { makeNodeReading } from "./NodeReading.ts"
import { type NodeRow, nodeColumns } from "./NodeRows.ts"
import { nodeSize } from "./NodeSizeSql.ts"

interface SizeRow {
  readonly id: NodeId
  readonly size: number
}

const none: ReadonlyArray<never> = []

/** Pages with these ids, in full as long as there is room for what they weigh with the fields of their properties. */
const fittingText = `select ${nodeColumns("wanted.is_full")} from (
    select page.id, given.place,
      given.place = 1 or sum(${nodeSize("page", "above")}) over (order by given.place) <= ${budget} as is_full
    from unnest($1::text[]) with ordinality given (id, place)
    join nodes page on page.id = given.id left join nodes above on above.id = page.parent_id
  ) wanted join nodes n on n.id = wanted.id order by wanted.place`

const idsOf = (pages: ReadonlyArray<WantedNode>, wanted: NodeLength) =>
  pages.filter(({ length }) => length === wanted).map(({ id }) => id)

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const reading = yield* makeNodeReading

  const columns = {
    full: sql.literal(nodeColumns("true")),
    brief: sql.literal(nodeColumns("false"))
  }

  const size = sql.literal(nodeSize("n", "above"))

  const readRows = (ids: ReadonlyArray<NodeId>, as: keyof typeof columns) =>
    ids.length === 0
      ? Effect.succeed(none)
      : all(sql<NodeRow>`select ${columns[as]} from nodes n where ${isOneOf(sql, "n.id", ids)}`)

  const inOrder = (ids: ReadonlyArray<NodeId>, rows: ReadonlyArray<NodeRow>) => {
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? none)
  }

  return NodeReader.of({
    listed: Effect.fnUntraced(function* (pages) {
      if (pages.length === 0) return none
      const [full, brief] = yield* Effect.all(
        [readRows(idsOf(pages, "full"), "full"), readRows(idsOf(pages, "brief"), "brief")],
        { concurrency: "unbounded" }
      )
      const ids = pages.map(({ id }) => id)
      return yield* reading.shownOf(inOrder(ids, [...full, ...brief]))
    }),
    fitting: Effect.fnUntraced(function* (ids) {
      if (ids.length === 0) return none
      return yield* reading.shownOf(yield* all(sql.unsafe<NodeRow>(fittingText, [ids])))
    }),
    sizesOf: (ids) =>
      Effect.map(
        ids.length === 0
          ? Effect.succeed(none)
          : all(
              sql<SizeRow>`select n.id, ${size} as size
                from nodes n left join nodes above on above.id = n.parent_id where ${isOneOf(sql, "n.id", ids)}`
            ),
        (rows) => new Map(rows.map(({ id, size }) => [id, size]))
      )
  })
})

export const layer = Layer.effect(NodeReader, make).pipe(Layer.provide(People.layer))
