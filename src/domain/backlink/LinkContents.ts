/** What is about a link, as far as the caller may read it. */
import { Effect } from "effect"
import { partsShown, room } from "../answer/AnswerRoom.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { mayReadLibrary, mayReadNode } from "../library/NodeRules.ts"
import type { LinkReference } from "../link/Link.ts"
import { LinkStore } from "../link/LinkStore.ts"
import { CurrentAccount, holds } from "../shared/Actor.ts"
import type { Visibility } from "../shared/Visibility.ts"

// What was published when it was found may be hidden when it is read.
const isPublished = ({ visibility }: { readonly visibility: Visibility }) => visibility === "published"

export const makeLinkContents = Effect.gen(function* () {
  const store = yield* LinkStore
  const { nodeSizes, nodesInPart, referredPosts } = yield* DatagraphItems

  /** The published threads about a link, for those who may read threads. */
  const threadsAbout = Effect.fnUntraced(function* (link: LinkReference) {
    const viewer = yield* CurrentAccount
    if (!holds(viewer, "READ_PUBLISHED_THREADS")) return []
    const ids = yield* store.threadsAbout(link.id)
    const readable = yield* referredPosts(ids, viewer)
    return ids.flatMap((id) => readable.get(id) ?? []).filter(isPublished)
  })

  /** The published nodes about a link, for those who may read the library. */
  const nodesAbout = Effect.fnUntraced(function* (link: LinkReference) {
    const viewer = yield* CurrentAccount
    if (!mayReadLibrary(viewer)) return []
    const ids = yield* store.nodesAbout(link.id)
    const sizes = yield* nodeSizes(ids)
    const parts = partsShown(
      ids.map((id) => sizes.get(id) ?? []),
      room
    )
    const readable = yield* nodesInPart(
      ids.map((id, place) => ({ id, parts: parts[place] ?? 0 })),
      (_, standing) => mayReadNode(standing, viewer)
    )
    return ids.flatMap((id) => readable.get(id) ?? []).filter(isPublished)
  })

  return { threadsAbout, nodesAbout } as const
})
