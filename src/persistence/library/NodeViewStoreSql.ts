import { Effect, Layer } from "effect"
import { NodeViewStore } from "../../domain/library/NodeViewStore.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { makeNodeList } from "./NodeListSql.ts"
import { makeNodeSummaries } from "./NodeSummarySql.ts"

export const layer = Layer.effect(
  NodeViewStore,
  Effect.gen(function* () {
    const summaries = yield* makeNodeSummaries
    const list = yield* makeNodeList
    return NodeViewStore.of({ ...summaries, list })
  })
).pipe(Layer.provide(ProfileCache.layer))
