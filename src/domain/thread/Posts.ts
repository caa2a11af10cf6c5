/** What people may do with replies, and with any post by its id (contract: content 4). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../shared/Transaction.ts"
import { NotYours, type PostChanges, PostNotFound } from "./Post.ts"
import { type PostState, PostStore, type PostUpdate } from "./PostStore.ts"
import { checkLength, checkMarkup, postText } from "./PostText.ts"
import { type NewReply, ReplyTargetUnknown, ThreadIsReply } from "./Reply.ts"
import { ThreadHidden, ThreadNotFound } from "./Thread.ts"
import { mayChange, mayReadReply, mayReadThread } from "./ThreadRules.ts"
import { Threads } from "./Threads.ts"

const isOpening = (post: PostState) => post.id === post.thread.id

const make = Effect.gen(function* () {
  const store = yield* PostStore
  const threads = yield* Threads
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const lockThread = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const notFound = new ThreadNotFound({ metadata: { thread_mark: mark } })
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* store.lock(id))
    if (post === undefined) return yield* notFound
    if (!isOpening(post)) return yield* new ThreadIsReply({ metadata: { thread_mark: mark } })
    if (!mayReadThread(post.thread, actor)) return yield* new ThreadHidden()
    return { actor, thread: post.thread }
  })

  const findTarget = Effect.fnUntraced(function* (threadId: PostId, replyTo: PostId | undefined) {
    if (replyTo === undefined) return undefined
    const actor = yield* CurrentAccount
    const target = Option.getOrUndefined(yield* store.find(replyTo))
    const visible = target !== undefined && (isOpening(target) || mayReadReply(target, actor))
    if (target?.thread.id !== threadId || !visible) {
      return yield* new ReplyTargetUnknown({ metadata: { reply_to: replyTo } })
    }
    return target
  })

  const reply = Effect.fn("Posts.reply")(function* (mark: string, input: NewReply) {
    const author = yield* CurrentAccount
    const text = postText(input.body)
    const id = PostId.make(yield* ids.next)
    yield* transaction(
      Effect.gen(function* () {
        const { actor, thread } = yield* lockThread(mark)
        const target = yield* findTarget(thread.id, input.reply_to)
        yield* checkMarkup(text, "reply")
        yield* checkLength(text, "reply")
        yield* store.insertReply({
          id,
          at: yield* DateTime.now,
          threadId: thread.id,
          authorId: actor.accountId,
          replyTo: target?.id,
          text,
          visibility: "published",
          meta: input.meta ?? {}
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
      })
    )
    // A moderator may have deleted the thread since.
    const created = yield* store.reply(id, author)
    if (Option.isNone(created)) return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
    return created.value
  })

  const lockOwn = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* store.lock(id))
    if (post === undefined) return yield* new PostNotFound({ metadata: { post_id: mark } })
    if (!mayChange(post, actor)) return yield* new NotYours()
    return { actor, post }
  })

  const decideUpdate = Effect.fnUntraced(function* (input: PostChanges) {
    const text = input.body === undefined ? undefined : postText(input.body)
    if (text !== undefined) yield* checkMarkup(text, "reply")
    // A moderator who sets the visibility in the same breath has read the text.
    if (text !== undefined && input.visibility === undefined) yield* checkLength(text, "reply")
    return {
      ...(text === undefined ? {} : { text }),
      ...(input.visibility === undefined ? {} : { visibility: input.visibility }),
      ...(input.meta === undefined ? {} : { meta: input.meta })
    } satisfies PostUpdate
  })

  const update = Effect.fn("Posts.update")(function* (mark: string, input: PostChanges) {
    const viewer = yield* CurrentAccount
    const id = yield* transaction(
      Effect.gen(function* () {
        const { actor, post } = yield* lockOwn(mark)
        if (input.visibility !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
        if (isOpening(post)) {
          const { body, meta, visibility } = input
          const changes = {
            ...(body === undefined ? {} : { body }),
            ...(meta === undefined ? {} : { meta }),
            ...(visibility === undefined ? {} : { visibility })
          }
          // Neither a category nor an address is among the changes, and the thread is held.
          yield* threads
            .update(post.id, changes)
            .pipe(Effect.catchTag(["CategoryUnknown", "LinkInvalid", "ThreadNotFound"], Effect.die))
          return post.id
        }
        yield* store.updateReply(post, yield* decideUpdate(input), yield* DateTime.now)
        yield* events.append(actor.accountId, ...updateEvents(post, input))
        return post.id
      })
    )
    const updated = yield* store.post(id, viewer)
    if (Option.isNone(updated)) return yield* new PostNotFound({ metadata: { post_id: mark } })
    return updated.value
  })

  const remove = Effect.fn("Posts.remove")(function* (mark: string) {
    yield* transaction(
      Effect.gen(function* () {
        const { actor, post } = yield* lockOwn(mark)
        if (isOpening(post)) {
          return yield* threads.remove(post.id).pipe(Effect.catchTag("ThreadNotFound", Effect.die))
        }
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

const updateEvents = (post: PostState, input: PostChanges): ReadonlyArray<DomainEvent> => {
  const ids = { thread_id: post.thread.id, reply_id: post.id }
  const updated: DomainEvent = { _tag: "ThreadReplyUpdated", ...ids }
  if (input.visibility === undefined || input.visibility === post.visibility) return [updated]
  const transition = input.visibility === "published" ? "ThreadReplyPublished" : "ThreadReplyUnpublished"
  return [updated, { _tag: transition, ...ids }]
}

export class Posts extends Context.Service<Posts, Effect.Success<typeof make>>()("forum/domain/Posts") {
  static readonly layer = Layer.effect(Posts, make)
}
