/** What people may do with replies, and with any post by its id. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../shared/Transaction.ts"
import { NotYours, type PostChanges, PostNotFound } from "./Post.ts"
import { type PostState, PostStore, type ReplyUpdate } from "./PostStore.ts"
import { checkLength, checkMarkup, type PostText, postText } from "./PostText.ts"
import { type NewReply, ReplyTargetUnknown, ThreadIsReply } from "./Reply.ts"
import { ThreadHidden, ThreadNotFound } from "./Thread.ts"
import { type Liked, type PostContent, postFor, replyFor } from "./ThreadContent.ts"
import { makeThreadEdits } from "./ThreadEdits.ts"
import { mayChange, mayReadReply, mayReadThread } from "./ThreadRules.ts"
import { ThreadStore } from "./ThreadStore.ts"

const isOpening = (post: PostState) => post.id === post.thread.id

const updateEvents = (
  post: PostState,
  { visibility }: Pick<PostChanges, "visibility">
): ReadonlyArray<DomainEvent> => {
  const ids = { thread_id: post.thread.id, reply_id: post.id }
  const updated: DomainEvent = { _tag: "ThreadReplyUpdated", ...ids }
  if (visibility === undefined || visibility === post.visibility) return [updated]
  const transition = visibility === "published" ? "ThreadReplyPublished" : "ThreadReplyUnpublished"
  return [updated, { _tag: transition, ...ids }]
}

const make = Effect.gen(function* () {
  const store = yield* PostStore
  const threads = yield* ThreadStore
  const edits = yield* makeThreadEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const findThreadForUpdate = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const notFound = new ThreadNotFound({ metadata: { thread_mark: mark } })
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* store.findForUpdate(id))
    if (post === undefined) return yield* notFound
    if (!isOpening(post)) return yield* new ThreadIsReply({ metadata: { thread_mark: mark } })
    if (!mayReadThread(post.thread, actor)) return yield* new ThreadHidden()
    return post.thread
  })

  const findTarget = Effect.fnUntraced(function* (
    actor: AccountActor,
    threadId: PostId,
    replyTo: PostId | undefined
  ) {
    if (replyTo === undefined) return undefined
    const target = Option.getOrUndefined(yield* store.find(replyTo))
    const isVisible = target !== undefined && (isOpening(target) || mayReadReply(target, actor))
    if (target?.thread.id !== threadId || !isVisible) {
      return yield* new ReplyTargetUnknown({ metadata: { reply_to: replyTo } })
    }
    return target
  })

  const writeReply = Effect.fnUntraced(function* (
    id: PostId,
    actor: AccountActor,
    mark: string,
    { meta = {}, reply_to }: NewReply,
    text: PostText
  ) {
    const thread = yield* findThreadForUpdate(actor, mark)
    const target = yield* findTarget(actor, thread.id, reply_to)
    yield* checkMarkup(text, "reply")
    yield* checkLength(text, "reply")
    const content = yield* store.insertReply({
      id,
      at: yield* DateTime.now,
      threadId: thread.id,
      authorId: actor.accountId,
      replyTo: target?.id,
      text,
      visibility: "published",
      meta
    })
    yield* events.append(actor.accountId, {
      _tag: "ThreadReplyCreated",
      thread_id: thread.id,
      reply_id: id,
      thread_author_id: thread.authorId,
      reply_author_id: actor.accountId,
      ...(target === undefined || isOpening(target)
        ? {}
        : { reply_to_author_id: target.authorId, reply_to_target_id: target.id })
    })
    return content
  })

  const reply = Effect.fn("Posts.reply")(function* (mark: string, input: NewReply) {
    const actor = yield* CurrentAccount
    const text = yield* postText(input.body)
    const id = PostId.make(yield* ids.next)
    const content = yield* yield* transaction(writeReply(id, actor, mark, input, text))
    return replyFor(content, yield* likedBy(actor, content.quoted))
  })

  /** Whether the account likes the post, if there is one that anyone likes. */
  const likedBy = (
    { accountId }: AccountActor,
    post: Pick<PostContent, "shared" | "likes"> | undefined
  ): Effect.Effect<Liked> =>
    post === undefined || post.likes === 0
      ? Effect.succeed(new Set())
      : threads.liked(accountId, [post.shared.id])

  const findOwnForUpdate = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* store.findForUpdate(id))
    if (post === undefined) return yield* new PostNotFound({ metadata: { post_id: mark } })
    if (!mayChange(post, actor)) return yield* new NotYours()
    return post
  })

  const change = Effect.fnUntraced(function* (
    actor: AccountActor,
    post: PostState,
    { text, ...rest }: ReplyUpdate
  ) {
    if (text !== undefined) yield* checkMarkup(text, "reply")
    // A moderator who sets the visibility in the same request has read the text.
    if (text !== undefined && rest.visibility === undefined) yield* checkLength(text, "reply")
    yield* store.updateReply(post, text === undefined ? rest : { ...rest, text }, yield* DateTime.now)
    yield* events.append(actor.accountId, ...updateEvents(post, rest))
  })

  const update = Effect.fn("Posts.update")(function* (mark: string, { body, meta, visibility }: PostChanges) {
    const actor = yield* CurrentAccount
    const changes: ReplyUpdate = {
      ...(body === undefined ? {} : { text: yield* postText(body) }),
      ...(meta === undefined ? {} : { meta }),
      ...(visibility === undefined ? {} : { visibility })
    }
    const id = yield* transaction(
      Effect.gen(function* () {
        const post = yield* findOwnForUpdate(actor, mark)
        if (visibility !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
        yield* isOpening(post) ? edits.change(actor, post, changes) : change(actor, post, changes)
        return post.id
      })
    )
    const [updated] = yield* store.findPosts([id])
    if (updated === undefined) return yield* new PostNotFound({ metadata: { post_id: mark } })
    return postFor(updated.post, yield* likedBy(actor, updated.post))
  })

  const remove = Effect.fn("Posts.remove")(function* (mark: string) {
    const actor = yield* CurrentAccount
    yield* transaction(
      Effect.gen(function* () {
        const post = yield* findOwnForUpdate(actor, mark)
        if (isOpening(post)) return yield* edits.remove(actor, post)
        yield* store.deleteReply(post, yield* DateTime.now)
        yield* events.append(actor.accountId, {
          _tag: "ThreadReplyDeleted",
          thread_id: post.thread.id,
          reply_id: post.id
        })
      })
    )
  })

  return { reply, update, remove } as const
})

export class Posts extends Context.Service<Posts, Effect.Success<typeof make>>()("forum/domain/Posts") {
  static readonly layer = Layer.effect(Posts, make)
}
