/** Pages as the operations that write them answer with them. */
import { Context, Effect, Layer } from "effect"
import { type Actor, CurrentActor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { NodeNotFound, type NodeWithChildren } from "./Node.ts"
import { NodeReader } from "./NodeReader.ts"
import { mayReadNode } from "./NodeRules.ts"

const make = Effect.gen(function* () {
  const reader = yield* NodeReader

  /** The page that contains another one, if the caller may see it. */
  const parentFor = Effect.fnUntraced(function* (id: NodeId, actor: Actor) {
    const [above] = yield* reader.references([id])
    if (above === undefined) return undefined
    const { parent: _, ...parent } = above
    return mayReadNode({ ownerId: parent.owner.id, visibility: parent.visibility }, actor) ? parent : undefined
  })

  /** A page that was just created, with the one that contains it if the caller may see that. */
  const written = Effect.fnUntraced(function* (id: NodeId) {
    const [page] = yield* reader.shown([id])
    // It may have been deleted since.
    if (page === undefined) return yield* new NodeNotFound({ metadata: { node_slug: id } })
    const { parentId, ...shown } = page
    const parent = parentId === undefined ? undefined : yield* parentFor(parentId, yield* CurrentActor)
    return {
      ...shown,
      ...(parent === undefined ? {} : { parent }),
      children: []
    } satisfies NodeWithChildren
  })

  return { written } as const
})

export class NodeAnswers extends Context.Service<NodeAnswers, Effect.Success<typeof make>>()(
  "forum/domain/NodeAnswers"
) {
  static readonly layer = Layer.effect(NodeAnswers, make)
}
