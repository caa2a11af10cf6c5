/** Pages as the operations that write them answer with them. */
import { Context, Effect, Layer } from "effect"
import { NodeViews } from "./NodeViews.ts"

const make = Effect.map(NodeViews, ({ written }) => ({ written }) as const)

export class NodeAnswers extends Context.Service<NodeAnswers, Effect.Success<typeof make>>()(
  "forum/domain/NodeAnswers"
) {
  static readonly layer = Layer.effect(NodeAnswers, make)
}
