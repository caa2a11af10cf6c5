/** What people may do with replies, and with any post by its id. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Exempt, heldBy, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { NotYours, type PostChanges, PostNotFound } from "./Post.ts"
import { allParts } from "./PostOmission.ts"
import { makePostRemoval } from "./PostRemoval.ts"
import type { PostState, ThreadState } from "./PostState.ts"
import { type AnsweredReply, PostStore, type ReplyInsert, type ReplyUpdate } from "./PostStore.ts"
import { checkLength, checkMarkup, makePostText, type PostText } from "./PostText.ts"
import { makeQueuedByThread } from "./QueuedByThread.ts"
import { checkReadable } from "./ReadablePost.ts"
import { type NewReply, ReplyTargetUnknown, ThreadIsReply } from "./Reply.ts"
import { ThreadHidden, ThreadNotFound } from "./Thread.ts"
import { type Collected, type Liked, type PostContent, postFor, replyFor } from "./ThreadContent.ts"
import { makeThreadEdits } from "./ThreadEdits.ts"
import { mayChange, mayReadReply, mayReadThread, publishedChange } from "./ThreadRules.ts"
import { ThreadStore } from "./ThreadStore.ts"

/** A reply that is to be written. */
interface Draft {
  readonly id: PostId
  readonly actor: AccountActor
  readonly mark: string
  readonly input: NewReply
  readonly text: PostText
  readonly inspection: Inspection
}

const isOpening = (post: PostState) => post.id === post.thread.id

const updateEvents = (
  post: PostState,
  { visibility }: Pick<ReplyUpdate, "visibility">
): ReadonlyArray<DomainEvent> => {
  const ids = { thread_id: post.thread.id, reply_id: post.id }
  const updated: DomainEvent = { _tag: "ThreadReplyUpdated", ...ids }
  if (visibility === undefined || visibility === post.visibility) return [updated]
  const transition = visibility === "published" ? "ThreadReplyPublished" : "ThreadReplyUnpublished"
  return [updated, { _tag: transition, ...ids }]
}

/** A reply with those who are told of it. */
const concerned = (
  { authorId, id, thread }: Pick<PostState, "id" | "authorId" | "thread">,
  answered: AnsweredReply | undefined
) => ({
  thread_id: thread.id,
  reply_id: id,
  thread_author_id: thread.authorId,
  reply_author_id: authorId,
  ...(answered === undefined
    ? {}
    : { reply_to_author_id: answered.authorId, reply_to_target_id: answered.id })
})

const make = Effect.gen(function* () {
  const store = yield* PostStore
  const threads = yield* ThreadStore
  const edits = yield* makeThreadEdits
  const removePost = yield* makePostRemoval
  const mentions = yield* makeMentions
  const events = yield* EventLog
  const { checkChange, inspected } = yield* makeContentChecks
  const transaction = yield* Transaction
  const ids = yield* Ids
  const postText = yield* makePostText
  const queuedByThread = yield* makeQueuedByThread

  /** The thread of a post, in which the caller may reply if it is the post that opens it. */
  const threadIn = Effect.fnUntraced(function* (
    actor: AccountActor,
    mark: string,
    found: Option.Option<PostState>
  ) {
    const post = Option.getOrUndefined(found)
    if (post === undefined) return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
    if (!isOpening(post)) return yield* new ThreadIsReply({ metadata: { thread_mark: mark } })
    if (!mayReadThread(post.thread, actor)) return yield* new ThreadHidden()
    return post.thread
  })

  const findForUpdate = (mark: string) => {
    const id = threadMark(mark)
    return id === undefined ? Effect.succeed(Option.none<PostState>()) : store.findForUpdate(id)
  }

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

  const write = Effect.fnUntraced(function* (
    { actor, id, input: { meta = {} }, inspection, text }: Draft,
    thread: ThreadState,
    target: PostState | undefined
  ) {
    yield* checkMarkup(text, "reply")
    yield* checkLength(text.length, inspection.rules.lengths.reply)
    const held = yield* heldBy(inspection.verdict)
    const reply: ReplyInsert = {
      id,
      at: yield* DateTime.now,
      thread,
      authorId: actor.accountId,
      replyTo: target?.id,
      text,
      visibility: held === undefined ? "published" : "review",
      meta
    }
    const answered = target === undefined || isOpening(target) ? undefined : target
    const created: DomainEvent = { _tag: "ThreadReplyCreated", ...concerned(reply, answered) }
    // Nobody is told of a reply that they may not read.
    const written = yield* store.insertReply(reply, held === undefined ? created : heldEvent(reply, held))
    yield* events.append(actor.accountId, ...(yield* mentions.created(reply, text)))
    return written
  })

  const writeLocked = Effect.fnUntraced(function* (draft: Draft) {
    const { actor, input, mark } = draft
    const thread = yield* threadIn(actor, mark, yield* findForUpdate(mark))
    const target = yield* findTarget(actor, thread.id, input.reply_to)
    return yield* Effect.catchTag(write(draft, thread, target), "ThreadChanged", Effect.die)
  })

  const writeAtOnce = Effect.fnUntraced(function* (draft: Draft, found: Option.Option<PostState>) {
    const thread = yield* threadIn(draft.actor, draft.mark, found)
    return yield* write(draft, thread, undefined)
  })

  const reply = Effect.fn("Posts.reply")(function* (
    mark: string,
    found: Option.Option<PostState>,
    input: NewReply
  ) {
    const actor = yield* CurrentAccount
    const text = yield* postText(input.body)
    const inspection = yield* inspected({ text })
    const draft: Draft = { id: PostId.make(yield* ids.next), actor, mark, input, text, inspection }
    const locked = transaction(writeLocked(draft))
    // Most replies need nothing but their thread: one statement, which looks whether it has changed.
    const needsLock = input.reply_to !== undefined || text.links.length > 0 || text.mentions.length > 0
    const written = needsLock
      ? locked
      : Effect.catchTag(writeAtOnce(draft, found), "ThreadChanged", () => locked)
    const content = yield* yield* queuedByThread(mark, written)
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

  /** Likewise whether the account has collected the post, if anyone has. */
  const collectedBy = (
    { accountId }: AccountActor,
    { shared }: Pick<PostContent, "shared">
  ): Effect.Effect<Collected> =>
    shared.collections.in_collections === 0
      ? Effect.succeed(new Set())
      : threads.collected(accountId, [shared.id])

  /** A post that the caller may change: what they may not read, they do not find. */
  const findOwnForUpdate = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const post = yield* checkReadable(actor, mark, yield* findForUpdate(mark))
    if (!mayChange(post, actor)) return yield* new NotYours()
    return post
  })

  /** A reply that was held is told of when it is published, once. */
  const reveal = Effect.fnUntraced(function* (before: PostState, after: PostState) {
    if (publishedChange(before.visibility, after.visibility) !== 1) return []
    const answered = yield* store.reveal(after)
    if (Option.isNone(answered)) return []
    return [{ _tag: "ThreadReplyRevealed", ...concerned(after, answered.value) } as const]
  })

  const change = Effect.fnUntraced(function* (
    actor: AccountActor,
    post: PostState,
    asked: ReplyUpdate,
    inspection: Inspection,
    exempt: Exempt
  ) {
    if (Object.keys(asked).length === 0) return
    const held = yield* checkChange("reply", post, asked, inspection, exempt)
    const changes: ReplyUpdate = held === undefined ? asked : { ...asked, visibility: "review" }
    yield* store.updateReply(post, changes, yield* DateTime.now)
    const after = { ...post, visibility: changes.visibility ?? post.visibility }
    const mentioned = yield* mentions.changed(post, after, changes.text)
    const heldEvents = held === undefined ? [] : [heldEvent(post, held)]
    const revealed = yield* reveal(post, after)
    yield* events.append(
      actor.accountId,
      ...updateEvents(post, changes),
      ...revealed,
      ...heldEvents,
      ...mentioned
    )
  })

  const update = Effect.fn("Posts.update")(function* (mark: string, { body, meta, visibility }: PostChanges) {
    const actor = yield* CurrentAccount
    const changes: ReplyUpdate = {
      ...(body === undefined ? {} : { text: yield* postText(body) }),
      ...(meta === undefined ? {} : { meta }),
      ...(visibility === undefined ? {} : { visibility })
    }
    const inspection = yield* inspected(changes)
    // Only moderators say which visibility a post has.
    const exempt: Exempt = visibility === undefined ? "nothing" : "all"
    const writing = Effect.gen(function* () {
      const post = yield* findOwnForUpdate(actor, mark)
      if (visibility !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
      const write = isOpening(post) ? edits.change : change
      yield* write(actor, post, changes, inspection, exempt)
      return post.id
    })
    const id = yield* queuedByThread(mark, transaction(writing))
    const [updated] = yield* store.findPosts([{ id, parts: allParts }])
    if (updated === undefined) return yield* new PostNotFound({ metadata: { post_id: mark } })
    return postFor(updated.post, yield* likedBy(actor, updated.post), yield* collectedBy(actor, updated.post))
  })

  const remove = Effect.fn("Posts.remove")(function* (mark: string) {
    const actor = yield* CurrentAccount
    const removal = Effect.gen(function* () {
      yield* removePost(actor.accountId, yield* findOwnForUpdate(actor, mark))
    })
    yield* queuedByThread(mark, transaction(removal))
  })

  return {
    /** What a request to reply asks storage along with its caller. */
    ahead: store.ahead,
    reply,
    update,
    remove
  } as const
})

export class Posts extends Context.Service<Posts, Effect.Success<typeof make>>()("forum/domain/Posts") {
  static readonly layer = Layer.effect(Posts, make)
}
