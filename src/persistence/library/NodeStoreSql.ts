import { Effect, Layer } from "effect"
import { NodeStore } from "../../domain/library/NodeStore.ts"
import { makeNodeBelongings } from "./NodeBelongingsSql.ts"
import { makeNodeLookup } from "./NodeLookupSql.ts"
import { makeNodeMoves } from "./NodeMovesSql.ts"
import { makeNodeWrites } from "./NodeWritesSql.ts"

export const layer = Layer.effect(
  NodeStore,
  Effect.gen(function* () {
    return NodeStore.of({
      ...(yield* makeNodeLookup),
      ...(yield* makeNodeWrites),
      ...(yield* makeNodeBelongings),
      ...(yield* makeNodeMoves)
    })
  })
)
