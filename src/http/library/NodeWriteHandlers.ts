import { Effect } from "effect"
import type { NewNode } from "../../domain/library/Node.ts"
import { NodeAnswers } from "../../domain/library/NodeAnswers.ts"
import { Nodes } from "../../domain/library/Nodes.ts"

interface Creation {
  readonly payload: NewNode
}

/** Handlers of the operations that make and change pages. */
export const makeNodeWriteHandlers = Effect.gen(function* () {
  const nodes = yield* Nodes
  const { written } = yield* NodeAnswers
  return {
    create: ({ payload }: Creation) => Effect.flatMap(nodes.create(payload), written)
  } as const
})
