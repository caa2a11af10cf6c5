/** Removing single things that people made, each as its owner would and in a transaction of its own. */
import { DateTime, Effect, Option } from "effect"
import { CollectionStore } from "../collection/CollectionStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { makeNodeAccess } from "../library/NodeAccess.ts"
import { updatedEvent } from "../library/NodeEvents.ts"
import { makeNodeMoving } from "../library/NodeMoving.ts"
import { makeNodeRemoval } from "../library/NodeRemoval.ts"
import { NodeStore } from "../library/NodeStore.ts"
import { LikeStore } from "../like/LikeStore.ts"
import { ReactionStore } from "../reaction/ReactionStore.ts"
import type { AccountId, CollectionId, NodeId, PostId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makePostRemoval } from "../thread/PostRemoval.ts"
import { standingOfFound } from "../thread/PostStanding.ts"
import { PostStore } from "../thread/PostStore.ts"
import type { PostState } from "../thread/PostVisibility.ts"

/** How many children move at a time out of a node that is to be deleted. */
const childrenAtOnce = 500

type By = AccountId | undefined

/** What is logged of a post of which a like or a reaction goes. */
const aboutPost = (
  { postId, threadId }: { readonly postId: PostId; readonly threadId: PostId },
  found: Option.Option<PostState>
) => ({ post_id: postId, root_post_id: threadId, standing: standingOfFound(found) })

export const makeRemovals = Effect.gen(function* () {
  const posts = yield* PostStore
  const likes = yield* LikeStore
  const reactions = yield* ReactionStore
  const collections = yield* CollectionStore
  const nodes = yield* NodeStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const removePost = yield* makePostRemoval
  const moving = yield* makeNodeMoving
  const removal = yield* makeNodeRemoval
  const { getForUpdate } = yield* makeNodeAccess

  /** Runs a write of a post in its turn, with its thread locked unless that is deleted. */
  const inThread = <E, R>(
    id: PostId,
    write: (post: Effect.Success<ReturnType<typeof posts.findForUpdate>>) => Effect.Effect<void, E, R>
  ) => queue(id, transaction(Effect.flatMap(posts.findForUpdate(id), write)))

  /** A thread or a reply. */
  const post = (by: By, id: PostId) =>
    inThread(id, (post) => (Option.isNone(post) ? Effect.void : removePost(by, post.value)))

  const like = (by: By, accountId: AccountId, ids: { readonly postId: PostId; readonly threadId: PostId }) =>
    inThread(
      ids.postId,
      Effect.fnUntraced(function* (post) {
        if ((yield* likes.delete(ids.postId, accountId)) === undefined) return
        yield* events.append(by, { _tag: "PostUnliked", ...aboutPost(ids, post) })
      })
    )

  const react = (by: By, ids: { readonly id: string; readonly postId: PostId; readonly threadId: PostId }) =>
    inThread(
      ids.postId,
      Effect.fnUntraced(function* (post) {
        const found = (yield* reactions.ofPost(ids.postId)).find(({ id }) => id === ids.id)
        if (found === undefined) return
        yield* reactions.delete(found.id)
        yield* events.append(by, { _tag: "PostUnreacted", ...aboutPost(ids, post) })
      })
    )

  const collection = (by: By, id: CollectionId) =>
    queue(
      id,
      transaction(
        Effect.gen(function* () {
          if (Option.isNone(yield* collections.findForUpdate({ id }))) return
          yield* collections.delete(id)
          yield* events.append(by, { _tag: "CollectionDeleted", id })
        })
      )
    )

  /** Deletes a node. If it contains very many, only moves some of these to the top level; the next look finds the node again. */
  const node = (by: By, id: NodeId) =>
    moving
      .inTree(
        Effect.gen(function* () {
          const found = yield* getForUpdate(id)
          const children = yield* nodes.children(id, childrenAtOnce + 1)
          const at = yield* DateTime.now
          if (children.length <= childrenAtOnce) {
            return yield* removal.remove(by, found, children, undefined, "own", at)
          }
          const some = children.slice(0, childrenAtOnce)
          yield* removal.empty(found, some, undefined, "own", at)
          yield* events.append(by, ...some.map(updatedEvent))
        })
      )
      .pipe(Effect.catchTag("NodeNotFound", () => Effect.void))

  return { post, like, react, collection, node } as const
})
