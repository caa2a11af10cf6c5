import { Effect, Layer } from "effect"
import { type NodeLength, NodeReader, type WantedNode } from "../../domain/library/NodeReader.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { budget } from "../../domain/thread/PageBudget.ts"
import { People } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { makeNodeReading } from "./NodeReading.ts"
import { type NodeRow, nodeColumns, topFieldBytes } from "./NodeRows.ts"
import { nodeSize } from "./NodeSizeSql.ts"

interface SizeRow {
  readonly id: NodeId
  readonly size: number
}

const none: ReadonlyArray<never> = []

/** Pages with these ids, in full as long as there is room for what they weigh with the fields of their properties. */
const fittingText = `select ${nodeColumns("wanted.is_full")} from (
    select page.id, given.place, given.place = 1 or sum(page.weight + page.field_bytes
      + coalesce(above.field_bytes, ${topFieldBytes})) over (order by given.place) <= ${budget} as is_full
    from unnest($1::text[]) with ordinality given (id, place)
    join nodes page on page.id = given.id left join nodes above on above.id = page.parent_id
  ) wanted join nodes n on n.id = wanted.id order by wanted.place`

const idsOf = (pages: ReadonlyArray<WantedNode>, ...lengths: ReadonlyArray<NodeLength>) =>
  pages.filter(({ length }) => lengths.includes(length)).map(({ id }) => id)

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const reading = yield* makeNodeReading

  const columns = {
    full: sql.literal(nodeColumns("true")),
    brief: sql.literal(nodeColumns("false"))
  }

  const readRows = (ids: ReadonlyArray<NodeId>, as: keyof typeof columns) =>
    ids.length === 0
      ? Effect.succeed(none)
      : all(sql<NodeRow>`select ${columns[as]} from nodes n where ${isOneOf(sql, "n.id", ids)}`)

  const inOrder = (ids: ReadonlyArray<NodeId>, rows: ReadonlyArray<NodeRow>) => {
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? none)
  }

  const read = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    const [full, brief] = yield* Effect.all(
      [readRows(idsOf(pages, "full", "alone"), "full"), readRows(idsOf(pages, "brief"), "brief")],
      { concurrency: "unbounded" }
    )
    const rows = inOrder(
      pages.map(({ id }) => id),
      [...full, ...brief]
    )
    return { full, rows }
  })

  const listed = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    if (pages.length === 0) return none
    const { full, rows } = yield* read(pages)
    const withProperties = new Set(idsOf(pages, "full"))
    return yield* reading.shownOf(
      rows,
      full.filter(({ id }) => withProperties.has(id))
    )
  })

  const listedReferences = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    return pages.length === 0 ? none : yield* reading.nodesOf((yield* read(pages)).rows)
  })

  return NodeReader.of({
    listed,
    fitting: Effect.fnUntraced(function* (ids) {
      if (ids.length === 0) return none
      return yield* reading.shownOf(yield* all(sql.unsafe<NodeRow>(fittingText, [ids])))
    }),
    shown: (ids) => listed(ids.map((id) => ({ id, length: "full" }))),
    listedReferences,
    references: (ids) => listedReferences(ids.map((id) => ({ id, length: "alone" }))),
    sizesOf: (ids) =>
      Effect.map(
        ids.length === 0
          ? Effect.succeed(none)
          : all(
              sql<SizeRow>`select n.id, ${sql.literal(nodeSize("n"))} as size from nodes n
                where ${isOneOf(sql, "n.id", ids)}`
            ),
        (rows) => new Map(rows.map(({ id, size }) => [id, size]))
      )
  })
})

export const layer = Layer.effect(NodeReader, make).pipe(Layer.provide(People.layer))
