import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { NewNode, NodeChanges, NodePosition, NodeVisibilityChange } from "../../domain/library/Node.ts"
import { NodeMoves } from "../../domain/library/NodeMoves.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import { NodeViews } from "../../domain/library/NodeViews.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { notKept } from "./NodeWriteEndpoints.ts"

interface At {
  readonly params: { readonly node_slug: string }
}

interface With<Payload> {
  readonly payload: Payload
}

interface AtAsset {
  readonly params: { readonly node_slug: string; readonly asset_id: string }
}

interface AtChild {
  readonly params: { readonly node_slug: string; readonly node_slug_child: string }
}

interface Removal extends At {
  readonly query: { readonly target_node?: string }
}

// Encoding a node with its children by schema would take longer than reading them. The tests hold every answer to its schema.

/** Handlers of the operations that make, change, move and delete nodes. */
export const makeNodeWriteHandlers = Effect.gen(function* () {
  const nodes = yield* Nodes
  const moves = yield* NodeMoves
  const views = yield* NodeViews

  const written = (id: NodeId) =>
    Effect.map(views.written(id), ({ node }) => HttpServerResponse.jsonUnsafe(node))

  /** The answer to a change of a node, with the validator that the node has for its reader now. */
  const changed = (id: NodeId) =>
    Effect.map(views.written(id), ({ etag, node }) =>
      HttpServerResponse.jsonUnsafe(node, { headers: { etag: `"${etag}"`, "cache-control": notKept } })
    )

  const remove = Effect.fnUntraced(function* ({ params, query }: Removal) {
    const target = yield* moves.remove(params.node_slug, query.target_node)
    if (Option.isNone(target)) return HttpServerResponse.jsonUnsafe({})
    const { node } = yield* views.written(target.value)
    return HttpServerResponse.jsonUnsafe({ destination: node })
  })

  return {
    create: ({ payload }: With<NewNode>) =>
      Effect.flatMap(
        fromNetwork((network) => nodes.create(payload, network)),
        written
      ),
    update: ({ params, payload }: At & With<NodeChanges>) =>
      Effect.flatMap(
        fromNetwork((network) => nodes.update(params.node_slug, payload, network)),
        changed
      ),
    setVisibility: ({ params, payload }: At & With<NodeVisibilityChange>) =>
      Effect.flatMap(nodes.setVisibility(params.node_slug, payload.visibility), changed),
    addAsset: ({ params }: AtAsset) =>
      Effect.flatMap(nodes.addAsset(params.node_slug, params.asset_id), changed),
    removeAsset: ({ params }: AtAsset) =>
      Effect.flatMap(nodes.removeAsset(params.node_slug, params.asset_id), changed),
    delete: remove,
    place: ({ params, payload }: At & With<NodePosition>) =>
      Effect.flatMap(moves.place(params.node_slug, payload), changed),
    addChild: ({ params }: AtChild) =>
      Effect.flatMap(moves.addChild(params.node_slug, params.node_slug_child), written),
    removeChild: ({ params }: AtChild) =>
      Effect.flatMap(moves.removeChild(params.node_slug, params.node_slug_child), written)
  } as const
})
