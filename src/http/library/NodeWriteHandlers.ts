import { Effect, Option } from "effect"
import type { NewNode, NodeChanges, NodePosition, NodeVisibilityChange } from "../../domain/library/Node.ts"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { NodeMoves } from "../../domain/library/NodeMoves.ts"
import { Nodes } from "../../domain/library/Nodes.ts"
import { SuggestionsUnavailable } from "../../domain/library/Suggestion.ts"

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

const unavailable = () => Effect.fail(new SuggestionsUnavailable())

/** Handlers of the operations that make and change pages. */
export const makeNodeWriteHandlers = Effect.gen(function* () {
  const nodes = yield* Nodes
  const moves = yield* NodeMoves
  const { written } = yield* NodeAnswers
  return {
    create: ({ payload }: With<NewNode>) => Effect.flatMap(nodes.create(payload), written),
    update: ({ params, payload }: At & With<NodeChanges>) =>
      Effect.flatMap(nodes.update(params.node_slug, payload), written),
    setVisibility: ({ params, payload }: At & With<NodeVisibilityChange>) =>
      Effect.flatMap(nodes.setVisibility(params.node_slug, payload.visibility), written),
    addAsset: ({ params }: AtAsset) =>
      Effect.flatMap(nodes.addAsset(params.node_slug, params.asset_id), written),
    removeAsset: ({ params }: AtAsset) =>
      Effect.flatMap(nodes.removeAsset(params.node_slug, params.asset_id), written),
    delete: Effect.fnUntraced(function* ({ params, query }: Removal) {
      const target = yield* moves.remove(params.node_slug, query.target_node)
      return Option.isNone(target) ? {} : { destination: yield* written(target.value) }
    }),
    place: ({ params, payload }: At & With<NodePosition>) =>
      Effect.flatMap(moves.place(params.node_slug, payload), written),
    addChild: ({ params }: AtChild) =>
      Effect.flatMap(moves.addChild(params.node_slug, params.node_slug_child), written),
    removeChild: ({ params }: AtChild) =>
      Effect.flatMap(moves.removeChild(params.node_slug, params.node_slug_child), written),
    suggestTitle: unavailable,
    suggestTags: unavailable,
    suggestContent: unavailable
  } as const
})
