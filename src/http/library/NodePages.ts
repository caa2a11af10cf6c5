/** Nodes as responses: their texts are written once for all who are shown the same. */
import { Effect } from "effect"
import type { NodeView } from "../../domain/library/NodeViews.ts"
import { joined } from "../bytes/Template.ts"
import { TextCache } from "../bytes/TextCache.ts"

export const makeNodePages = Effect.gen(function* () {
  const cache = yield* TextCache

  /** The body of a node. */
  return Effect.fnUntraced(function* ({ audience, content, etag, summary }: NodeView) {
    const key = audience === undefined ? undefined : `node ${summary.id} for ${audience}`
    const kept = key === undefined ? undefined : cache.get(key, etag)
    if (kept !== undefined) return joined([kept.content])
    const text = JSON.stringify(yield* content)
    return joined([key === undefined ? text : cache.keep(key, etag, { content: text, slots: [] }).content])
  })
})
