/** Posts, nodes, profiles and more, shown where other content refers to them: decides which of them a viewer may read. */
import { Context, Effect, Layer } from "effect"
import { ProfileStore } from "../profile/ProfileStore.ts"
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId, NodeId, PostId } from "../shared/Id.ts"
import type { DatagraphItemPost } from "../thread/Post.ts"
import type { DatagraphItemNode, DatagraphItemProfile } from "./DatagraphItem.ts"
import { makeNodeItems } from "./NodeItems.ts"
import { makePostItems } from "./PostItems.ts"
import { makeThreadItems } from "./ThreadItems.ts"

/** What something refers to that is shown as a post, whether it opens a thread or not, a node or a profile. */
export type ItemRef =
  | { readonly kind: "post"; readonly id: PostId }
  | { readonly kind: "node"; readonly id: NodeId }
  | { readonly kind: "profile"; readonly id: AccountId }

const make = Effect.gen(function* () {
  const posts = yield* makePostItems
  const threads = yield* makeThreadItems
  const nodes = yield* makeNodeItems
  const profiles = yield* ProfileStore

  /** Profiles that the viewer may read, by id: their own always. */
  const findProfiles = (ids: ReadonlyArray<AccountId>, viewer: Actor) =>
    Effect.map(
      profiles.findByIds(ids.filter((id) => id === accountIdOf(viewer) || holds(viewer, "READ_PROFILE"))),
      (found) =>
        new Map<AccountId, DatagraphItemProfile>(
          found.map((profile) => [profile.id, { kind: "profile", ref: profile }])
        )
    )

  /** What is referred to and the viewer may read, by id. */
  const findItems = Effect.fnUntraced(function* (refs: ReadonlyArray<ItemRef>, viewer: Actor) {
    const postIds = refs.flatMap((ref) => (ref.kind === "post" ? [ref.id] : []))
    const nodeIds = refs.flatMap((ref) => (ref.kind === "node" ? [ref.id] : []))
    const profileIds = refs.flatMap((ref) => (ref.kind === "profile" ? [ref.id] : []))
    const [foundPosts, foundNodes, foundProfiles] = yield* Effect.all(
      [
        posts.findPosts([...new Set(postIds)], viewer),
        nodes.findNodes([...new Set(nodeIds)], viewer),
        findProfiles([...new Set(profileIds)], viewer)
      ],
      { concurrency: "unbounded" }
    )
    return new Map<string, DatagraphItemPost | DatagraphItemNode | DatagraphItemProfile>([
      ...foundPosts,
      ...foundNodes,
      ...foundProfiles
    ])
  })

  return { ...posts, ...threads, ...nodes, findItems } as const
})

export class DatagraphItems extends Context.Service<DatagraphItems, Effect.Success<typeof make>>()(
  "forum/domain/DatagraphItems"
) {
  static readonly layer = Layer.effect(DatagraphItems, make)
}
