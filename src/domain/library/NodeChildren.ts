/** The children of a node, as lists of their own. */
import { Context, Effect, Layer, Option } from "effect"
import { accountIdOf, CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { slugify } from "../shared/Slug.ts"
import { searched } from "../text/SearchText.ts"
import { parseChildSort } from "./ChildSort.ts"
import { childrenShown } from "./LibraryLimits.ts"
import { type NodeListResult, NodeNotFound } from "./Node.ts"
import { aloneNode } from "./NodeExcerpt.ts"
import { NodeQueries } from "./NodeQueries.ts"
import { mayReadNode, readableNodes } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"

/** What to list of the children of a node. */
export interface ChildFilter {
  readonly sort: string | undefined
  readonly q: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly place: ListPlace
}

const make = Effect.gen(function* () {
  const store = yield* NodeStore
  const queries = yield* NodeQueries

  const list = Effect.fn("NodeChildren.list")(function* (mark: string, filter: ChildFilter) {
    const actor = yield* CurrentActor
    const parent = yield* store.find(mark)
    if (Option.isNone(parent) || !mayReadNode(parent.value, actor)) {
      return yield* new NodeNotFound({ metadata: { node_slug: mark } })
    }
    const { ids, ...extent } = yield* queries.childPage({
      parent: parent.value.id,
      visible: readableNodes(actor),
      viewer: accountIdOf(actor),
      sort: filter.sort === undefined ? undefined : parseChildSort(filter.sort),
      name: searched(filter.q),
      tags: [...new Set(filter.tags.map(slugify))],
      place: filter.place
    })
    const children = yield* queries.whole(ids)
    const nodes = children
      // Since they were found, they may have been hidden or moved.
      .filter(
        ({ owner, parentId, visibility }) =>
          parentId === parent.value.id && mayReadNode({ ownerId: owner.id, visibility }, actor)
      )
      .map(aloneNode)
    return {
      ...listEnvelope({ ...extent, place: filter.place, size: childrenShown, results: nodes.length }),
      nodes
    } satisfies NodeListResult
  })

  return { list } as const
})

export class NodeChildren extends Context.Service<NodeChildren, Effect.Success<typeof make>>()(
  "forum/domain/NodeChildren"
) {
  static readonly layer = Layer.effect(NodeChildren, make)
}
