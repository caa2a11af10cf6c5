/** What requests change of drafts, made ready to store. */
import { Effect } from "effect"
import type { NodeState } from "./NodeRules.ts"
import { withSlug } from "./NodeSlugs.ts"
import { makeNodeText } from "./NodeText.ts"
import type { NewNodeVersion } from "./NodeVersion.ts"
import { fieldsOf, PropertyStore } from "./PropertyStore.ts"
import { proposedTo } from "./VersionRules.ts"
import type { DraftOverlay } from "./VersionStore.ts"

export const makeDraftOverlays = Effect.gen(function* () {
  const properties = yield* PropertyStore
  const readText = yield* makeNodeText

  /** What a request changes of a draft, but for properties, which are read with the node locked. */
  const overlayOf = Effect.fnUntraced(function* (sent: NewNodeVersion) {
    const { content, properties: _, ...same } = withSlug(sent)
    if (content === undefined) return same satisfies DraftOverlay
    return { ...same, text: content === null ? null : yield* readText(content) } satisfies DraftOverlay
  })

  /** The overlay with the properties that the request wants, and the fields that the node has now. */
  const proposing = Effect.fnUntraced(function* (
    overlay: DraftOverlay,
    node: NodeState,
    { properties: wanted }: NewNodeVersion
  ) {
    if (wanted === undefined) return overlay
    const proposed = proposedTo(yield* properties.fieldsForUpdate(fieldsOf(node)), wanted)
    return { ...overlay, proposed } satisfies DraftOverlay
  })

  return { overlayOf, proposing } as const
})
