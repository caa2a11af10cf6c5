import { Effect, Layer } from "effect"
import { type NodeLength, NodeReader, type WantedNode } from "../../domain/library/NodeReader.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { People } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { makeNodeReading } from "./NodeReading.ts"
import { type NodeRow, nodeColumns } from "./NodeRows.ts"

const none: ReadonlyArray<never> = []

const idsOf = (pages: ReadonlyArray<WantedNode>, ...lengths: ReadonlyArray<NodeLength>) =>
  pages.flatMap(({ id, length }) => (lengths.includes(length) ? [id] : none))

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

  const listed = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    if (pages.length === 0) return none
    const [full, brief] = yield* Effect.all(
      [readRows(idsOf(pages, "full", "alone"), "full"), readRows(idsOf(pages, "brief"), "brief")],
      { concurrency: "unbounded" }
    )
    const rows = inOrder(
      pages.map(({ id }) => id),
      [...full, ...brief]
    )
    const withProperties = new Set(idsOf(pages, "full"))
    return yield* reading.shownOf(
      rows,
      full.filter(({ id }) => withProperties.has(id))
    )
  })

  return NodeReader.of({
    listed,
    shown: (ids) => listed(ids.map((id) => ({ id, length: "full" }))),
    references: Effect.fnUntraced(function* (ids) {
      if (ids.length === 0) return none
      return yield* reading.nodesOf(inOrder(ids, yield* readRows(ids, "full")))
    })
  })
})

export const layer = Layer.effect(NodeReader, make).pipe(Layer.provide(People.layer))
