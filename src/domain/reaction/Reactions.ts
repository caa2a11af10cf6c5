/** What people may do with reactions. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount, holds } from "../shared/Actor.ts"
import { Id } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { React } from "../thread/Post.ts"
import { standingOfFound, standingOfPost } from "../thread/PostStanding.ts"
import { PostStore } from "../thread/PostStore.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import { makeQueuedByThread } from "../thread/QueuedByThread.ts"
import { checkReadable, makeReadablePost } from "../thread/ReadablePost.ts"
import {
  EmojiInvalid,
  type NewReaction,
  ReactionNotYours,
  reactionsMax,
  TooManyReactions,
  toEmoji
} from "./Reaction.ts"
import { decideAddition, mayRemove } from "./ReactionRules.ts"
import { ReactionStore } from "./ReactionStore.ts"

const make = Effect.gen(function* () {
  const store = yield* ReactionStore
  const posts = yield* PostStore
  const readablePost = yield* makeReadablePost
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const queuedByThread = yield* makeQueuedByThread

  /** Answers the id of the account's reaction with this emoji. */
  const insert = Effect.fnUntraced(function* (actor: AccountActor, mark: string, emoji: string) {
    const post = yield* readablePost(actor, mark)
    const reaction = { accountId: actor.accountId, emoji }
    const addition = decideAddition(yield* store.ofPost(post.id), reaction)
    if (addition._tag === "Exists") return addition.id
    if (addition._tag === "Refuse") {
      const { limit } = addition
      return yield* new TooManyReactions({ metadata: { limit, maximum: reactionsMax[limit] } })
    }
    const id = Id.make(yield* ids.next)
    yield* store.insert({ ...reaction, id, postId: post.id, at: yield* DateTime.now })
    yield* events.append(actor.accountId, {
      _tag: "PostReacted",
      post_id: post.id,
      root_post_id: post.thread.id,
      standing: standingOfPost(post)
    })
    return id
  })

  /** Adds a reaction to a post; one that is there already stays as it is. */
  const add = Effect.fn("Reactions.add")(function* (mark: string, input: NewReaction) {
    const actor = yield* CurrentAccount
    const emoji = toEmoji(input.emoji)
    if (emoji === undefined) return yield* new EmojiInvalid({ metadata: { field: "emoji" } })
    const id = yield* queuedByThread(mark, transaction(insert(actor, mark, emoji)))
    return { id, emoji, author: yield* store.author(actor.accountId) } satisfies typeof React.Type
  })

  const removeFrom = Effect.fnUntraced(function* (actor: AccountActor, mark: string, id: string) {
    const postId = threadMark(mark)
    const found = postId === undefined ? Option.none<PostState>() : yield* posts.findForUpdate(postId)
    const present = postId === undefined ? [] : yield* store.ofPost(postId)
    const reaction = present.find((one) => one.id === id)
    // The own one goes whatever became of the post.
    if (reaction?.accountId !== actor.accountId) {
      const readable = holds(actor, "READ_PUBLISHED_THREADS") ? found : Option.none<PostState>()
      yield* checkReadable(actor, mark, readable)
    }
    if (reaction === undefined || postId === undefined) return
    if (!mayRemove(reaction, actor)) return yield* new ReactionNotYours()
    const threadId = yield* store.delete(reaction.id)
    yield* events.append(actor.accountId, {
      _tag: "PostUnreacted",
      post_id: postId,
      root_post_id: threadId,
      standing: standingOfFound(found)
    })
  })

  /**
   * Removes a reaction from a post; one that the post does not have changes nothing. One's own can be removed also
   * from a post that was hidden or deleted since.
   */
  const remove = Effect.fn("Reactions.remove")(function* (mark: string, id: string) {
    const actor = yield* CurrentAccount
    yield* queuedByThread(mark, transaction(removeFrom(actor, mark, id)))
  })

  return { add, remove } as const
})

export class Reactions extends Context.Service<Reactions, Effect.Success<typeof make>>()(
  "forum/domain/Reactions"
) {
  static readonly layer = Layer.effect(Reactions, make)
}
