import { Effect, Layer } from "effect"
import { NodeViewStore } from "../../domain/library/NodeViewStore.ts"
import { People } from "../account/People.ts"
import { headCompanion, makeNodeHeads } from "./NodeHeadSql.ts"
import { makeNodeList } from "./NodeListSql.ts"

export const layer = Layer.effect(
  NodeViewStore,
  Effect.gen(function* () {
    const heads = yield* makeNodeHeads
    const list = yield* makeNodeList
    return NodeViewStore.of({ head: headCompanion, ...heads, list })
  })
).pipe(Layer.provide(People.layer))
