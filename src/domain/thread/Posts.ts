/** What people may do with replies, and with any post by its id. */
import { Context, Effect, Layer, type Option } from "effect"
import { type AccountActor, CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Exempt, makeContentChecks } from "./ContentChecks.ts"
import { NotYours, type PostChanges, PostNotFound } from "./Post.ts"
import { allParts } from "./PostOmission.ts"
import { makePostRemoval } from "./PostRemoval.ts"
import { PostStore, type ReplyUpdate } from "./PostStore.ts"
import { makePostText } from "./PostText.ts"
import type { PostState } from "./PostVisibility.ts"
import { makeQueuedByThread } from "./QueuedByThread.ts"
import { makeReadablePost } from "./ReadablePost.ts"
import type { NewReply } from "./Reply.ts"
import { makeReplyEdits } from "./ReplyEdits.ts"
import { makeReplyWriting } from "./ReplyWriting.ts"
import { postFor, replyFor } from "./ThreadContent.ts"
import { makeThreadEdits } from "./ThreadEdits.ts"
import { isOpening, mayChange } from "./ThreadRules.ts"
import { makeViewerMarks } from "./ViewerMarks.ts"

const make = Effect.gen(function* () {
  const store = yield* PostStore
  const marks = yield* makeViewerMarks
  const threadEdits = yield* makeThreadEdits
  const replyEdits = yield* makeReplyEdits
  const writeReply = yield* makeReplyWriting
  const removePost = yield* makePostRemoval
  const getReadableForUpdate = yield* makeReadablePost
  const { inspected } = yield* makeContentChecks
  const transaction = yield* Transaction
  const postText = yield* makePostText
  const queuedByThread = yield* makeQueuedByThread

  const reply = Effect.fn("Posts.reply")(function* (
    mark: string,
    found: Option.Option<PostState>,
    input: NewReply
  ) {
    const content = yield* writeReply(mark, found, input)
    const quoted = content.quoted === undefined ? [] : [content.quoted]
    return replyFor(content, yield* marks.liked(yield* CurrentAccount, quoted))
  })

  /** A post that the caller may change: what they may not read, they do not find. */
  const getOwnForUpdate = Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const post = yield* getReadableForUpdate(actor, mark)
    return mayChange(post, actor) ? post : yield* new NotYours()
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
      const post = yield* getOwnForUpdate(actor, mark)
      if (visibility !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
      const write = isOpening(post) ? threadEdits.change : replyEdits.change
      yield* write(actor, post, changes, inspection, exempt)
      return post.id
    })
    const id = yield* queuedByThread(mark, transaction(writing))
    const [updated] = yield* store.findPosts([{ id, parts: allParts }])
    if (updated === undefined) return yield* new PostNotFound({ metadata: { post_id: mark } })
    const { post } = updated
    return postFor(post, yield* marks.liked(actor, [post]), yield* marks.collected(actor, [post]))
  })

  const remove = Effect.fn("Posts.remove")(function* (mark: string) {
    const actor = yield* CurrentAccount
    const removal = Effect.gen(function* () {
      yield* removePost(actor.accountId, yield* getOwnForUpdate(actor, mark))
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
