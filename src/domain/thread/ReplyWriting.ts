/** Writing replies, in a thread that the caller may read. */
import { DateTime, Effect, Option, Result } from "effect"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { heldBy, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { standingOfReply } from "./PostStanding.ts"
import { type AnsweredReply, PostStore, type ReplyInsert } from "./PostStore.ts"
import { checkLength, checkMarkup, makePostText, type PostText } from "./PostText.ts"
import type { PostState, ThreadState } from "./PostVisibility.ts"
import { makeQueuedByThread } from "./QueuedByThread.ts"
import { type NewReply, ReplyTargetUnknown, ThreadIsReply } from "./Reply.ts"
import { ThreadHidden, ThreadNotFound } from "./Thread.ts"
import { isOpening, mayReadReply, mayReadThread } from "./ThreadRules.ts"

/** A reply that is to be written. */
interface Draft {
  readonly id: PostId
  readonly actor: AccountActor
  readonly mark: string
  readonly input: NewReply
  readonly text: PostText
  readonly inspection: Inspection
}

/** The ids in events about a reply: of the reply, and of those who are told of it. */
export const concerned = (
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

/** The thread that a mark names, if the account may reply in it: the mark has to name the post that opens it. */
const decideThread = (
  { actor, mark }: Draft,
  found: Option.Option<PostState>
): Result.Result<ThreadState, ThreadNotFound | ThreadIsReply | ThreadHidden> => {
  const post = Option.getOrUndefined(found)
  if (post === undefined) return Result.fail(new ThreadNotFound({ metadata: { thread_mark: mark } }))
  if (!isOpening(post)) return Result.fail(new ThreadIsReply({ metadata: { thread_mark: mark } }))
  return mayReadThread(post.thread, actor) ? Result.succeed(post.thread) : Result.fail(new ThreadHidden())
}

/** Whether an account may answer a post with a reply in this thread. */
const mayAnswer = (post: PostState, thread: ThreadState, actor: AccountActor): boolean =>
  post.thread.id === thread.id && (isOpening(post) || mayReadReply(post, actor))

export const makeReplyWriting = Effect.gen(function* () {
  const store = yield* PostStore
  const mentions = yield* makeMentions
  const events = yield* EventLog
  const { inspected } = yield* makeContentChecks
  const transaction = yield* Transaction
  const ids = yield* Ids
  const postText = yield* makePostText
  const queuedByThread = yield* makeQueuedByThread

  /** The post that a reply answers, if it says so. */
  const getTarget = Effect.fnUntraced(function* ({ actor, input: { reply_to } }: Draft, thread: ThreadState) {
    if (reply_to === undefined) return undefined
    const target = Option.getOrUndefined(yield* store.find(reply_to))
    if (target !== undefined && mayAnswer(target, thread, actor)) return target
    return yield* new ReplyTargetUnknown({ metadata: { reply_to } })
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
    const created: NewEvent = {
      _tag: "ThreadReplyCreated",
      ...concerned(reply, answered),
      standing: standingOfReply(reply, thread)
    }
    // Nobody is told of a reply that they may not read.
    const written = yield* store.insertReply(reply, held === undefined ? created : heldEvent(reply, held))
    yield* events.append(actor.accountId, ...(yield* mentions.created(reply, text)))
    return written
  })

  const writeLocked = Effect.fnUntraced(function* (draft: Draft) {
    const id = threadMark(draft.mark)
    const found = id === undefined ? Option.none() : yield* store.findForUpdate(id)
    const thread = yield* Effect.fromResult(decideThread(draft, found))
    const target = yield* getTarget(draft, thread)
    return yield* Effect.catchTag(write(draft, thread, target), "ThreadChanged", Effect.die)
  })

  const writeAtOnce = Effect.fnUntraced(function* (draft: Draft, found: Option.Option<PostState>) {
    return yield* write(draft, yield* Effect.fromResult(decideThread(draft, found)), undefined)
  })

  /** Writes a reply in the thread of a mark, of which `found` was found before. */
  return Effect.fnUntraced(function* (mark: string, found: Option.Option<PostState>, input: NewReply) {
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
    return yield* yield* queuedByThread(mark, written)
  })
})
