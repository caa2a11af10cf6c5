/** What people may do with nodes of the library; where nodes are, is `NodeMoves`. */
import { Context, DateTime, Effect, Layer } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import { makeNodeCreation } from "./NodeCreation.ts"
import { makeNodeEditing } from "./NodeEditing.ts"
import { decideEvents } from "./NodeEvents.ts"
import { makeNodeFiles } from "./NodeFiles.ts"
import { makeNodeParts } from "./NodeParts.ts"
import { NodeStore } from "./NodeStore.ts"

const makeSetVisibility = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getForUpdate, getOwn } = yield* makeNodeAccess

  /** Answers the id of the node. */
  return Effect.fn("Nodes.setVisibility")(function* (mark: string, visibility: Visibility) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      const node = yield* getForUpdate(found.id)
      if (node.visibility === visibility) return
      yield* nodes.amend(node.id, { visibility }, yield* DateTime.now)
      yield* nodes.recountTags(node, visibility)
      yield* events.append(actor.accountId, ...decideEvents({ ...node, visibility }, node.visibility))
    })
    yield* queue(found.id, transaction(writing))
    return found.id
  })
})

const make = Effect.gen(function* () {
  // One for both, as it bounds how many files are fetched at the same time.
  const parts = yield* makeNodeParts
  return {
    create: yield* makeNodeCreation(parts),
    update: yield* makeNodeEditing(parts),
    setVisibility: yield* makeSetVisibility,
    ...(yield* makeNodeFiles)
  } as const
})

export class Nodes extends Context.Service<Nodes, Effect.Success<typeof make>>()("forum/domain/Nodes") {
  static readonly layer = Layer.effect(Nodes, make)
}
