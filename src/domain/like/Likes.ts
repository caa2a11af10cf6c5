/** What people may do with likes. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountNotFound } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount, CurrentActor, holds } from "../shared/Actor.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { standingOfFound, standingOfPost } from "../thread/PostStanding.ts"
import { PostStore } from "../thread/PostStore.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import { makeQueuedByThread } from "../thread/QueuedByThread.ts"
import { checkReadable, makeReadablePost } from "../thread/ReadablePost.ts"
import { postReaderOf } from "../thread/ThreadRules.ts"
import type { ProfileLikeListResult } from "./Like.ts"
import { type LikePage, LikeStore, pageSize } from "./LikeStore.ts"

const noLikes: LikePage = { total: 0, likes: [] }

const make = Effect.gen(function* () {
  const store = yield* LikeStore
  const accounts = yield* AccountStore
  const items = yield* DatagraphItems
  const posts = yield* PostStore
  const readablePost = yield* makeReadablePost
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const queuedByThread = yield* makeQueuedByThread

  const insert = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const { accountId } = actor
    const post = yield* readablePost(actor, mark)
    const { authorId, id, thread } = post
    const like = { id: yield* ids.next, postId: id, threadId: thread.id, accountId, at: yield* DateTime.now }
    if (!(yield* store.insert(like))) return
    yield* events.append(accountId, {
      _tag: "PostLiked",
      post_id: id,
      root_post_id: thread.id,
      post_author_id: authorId,
      liked_by: accountId,
      standing: standingOfPost(post)
    })
  })

  /** Likes a post; one that the account likes already stays liked. */
  const add = Effect.fn("Likes.add")(function* (mark: string) {
    const actor = yield* CurrentAccount
    yield* queuedByThread(mark, transaction(insert(actor, mark)))
  })

  const removeFrom = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const id = threadMark(mark)
    const found = id === undefined ? Option.none<PostState>() : yield* posts.findForUpdate(id)
    // Whatever became of the post: only whoever likes nothing there is told whether it may be read.
    const threadId = id === undefined ? undefined : yield* store.delete(id, actor.accountId)
    if (id === undefined || threadId === undefined) {
      const readable = holds(actor, "READ_PUBLISHED_THREADS") ? found : Option.none<PostState>()
      yield* checkReadable(actor, mark, readable)
      return
    }
    yield* events.append(actor.accountId, {
      _tag: "PostUnliked",
      post_id: id,
      root_post_id: threadId,
      standing: standingOfFound(found)
    })
  })

  /** Takes back the like of a post, if there is one, also of a post that was hidden or deleted since. */
  const remove = Effect.fn("Likes.remove")(function* (mark: string) {
    const actor = yield* CurrentAccount
    yield* queuedByThread(mark, transaction(removeFrom(actor, mark)))
  })

  /** The likes of a post, oldest first; none of a post that the caller does not find. */
  const ofPost = Effect.fn("Likes.ofPost")(function* (mark: string) {
    const reader = postReaderOf(yield* CurrentActor)
    const id = threadMark(mark)
    return id === undefined || reader === undefined ? [] : yield* store.ofPost(id, reader)
  })

  /** What an account likes and the caller may read, newest likes first. */
  const ofAccount = Effect.fn("Likes.ofAccount")(function* (handleOrId: string, place: ListPlace) {
    const viewer = yield* CurrentActor
    const account = yield* accounts.findIdByHandleOrId(handleOrId)
    if (Option.isNone(account)) return yield* new AccountNotFound({ metadata: { account: handleOrId } })
    const reader = postReaderOf(viewer)
    const { likes: stored, ...extent } =
      reader === undefined ? noLikes : yield* store.ofAccount(account.value, reader, place)
    const posts = yield* items.findPosts(
      stored.map(({ postId }) => postId),
      viewer
    )
    const likes = stored.flatMap(({ at, id, postId }) => {
      const item = posts.get(postId)
      // The caller may read all of them, unless one was hidden since they were listed.
      return item === undefined ? [] : [{ id, created_at: at, item }]
    })
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: likes.length }),
      likes
    } satisfies ProfileLikeListResult
  })

  return { add, remove, ofPost, ofAccount } as const
})

export class Likes extends Context.Service<Likes, Effect.Success<typeof make>>()("forum/domain/Likes") {
  static readonly layer = Layer.effect(Likes, make).pipe(Layer.provide(DatagraphItems.layer))
}
