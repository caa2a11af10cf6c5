/** What people may do with threads. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { CategoryStore } from "../category/CategoryStore.ts"
import { checkOptionalAddress } from "../link/Link.ts"
import { accountIdOf, CurrentAccount, CurrentActor, checkPermission } from "../shared/Actor.ts"
import { threadMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Exempt, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { NotYours } from "./Post.ts"
import { makePostRemoval } from "./PostRemoval.ts"
import { PostStore } from "./PostStore.ts"
import { makePostText, type PostText } from "./PostText.ts"
import { makeQueuedByThread } from "./QueuedByThread.ts"
import { type NewThread, type ThreadChanges, ThreadNotFound, ThreadTitleMissing } from "./Thread.ts"
import { makeThreadEdits } from "./ThreadEdits.ts"
import { makeThreadOpening } from "./ThreadOpening.ts"
import { isOpening, lacksTitle, mayChange, moderates } from "./ThreadRules.ts"
import { ThreadStore, type ThreadUpdate } from "./ThreadStore.ts"

const make = Effect.gen(function* () {
  const store = yield* ThreadStore
  const posts = yield* PostStore
  const categories = yield* CategoryStore
  const edits = yield* makeThreadEdits
  const removePost = yield* makePostRemoval
  const opening = yield* makeThreadOpening
  const transaction = yield* Transaction
  const postText = yield* makePostText
  const queuedByThread = yield* makeQueuedByThread
  const { inspected } = yield* makeContentChecks

  /** Answers the id of the thread. */
  const create = Effect.fn("Threads.create")(function* ({ url, ...input }: NewThread) {
    const actor = yield* CurrentAccount
    if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
    if (lacksTitle(input.title, input.visibility ?? "draft")) {
      return yield* new ThreadTitleMissing({ metadata: { field: "title" } })
    }
    const link = yield* checkOptionalAddress("url", url)
    const thread = yield* opening.prepare(actor.accountId, { ...input, link: link ?? undefined })
    yield* transaction(opening.open(thread, "category"))
    return thread.id
  })

  /** The thread behind a mark if the caller may change it, locked until the transaction ends. */
  const getOwnForUpdate = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* posts.findForUpdate(id))
    if (post === undefined || !isOpening(post)) {
      return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
    }
    return mayChange(post.thread, actor) ? { actor, post } : yield* new NotYours()
  })

  const change = Effect.fnUntraced(function* (
    mark: string,
    { body: _, category, url, ...input }: ThreadChanges,
    text: PostText | undefined,
    inspection: Inspection
  ) {
    // A category is locked before a thread; whether there is one is said after whether there is the thread.
    const entered =
      category === undefined ? undefined : yield* Effect.result(categories.checkForUse("category", category))
    const { actor, post } = yield* getOwnForUpdate(mark)
    if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
    const link = yield* checkOptionalAddress("url", url)
    if (entered !== undefined) yield* Effect.fromResult(entered)
    const changes: ThreadUpdate = {
      ...input,
      ...(text === undefined ? {} : { text }),
      ...(category === undefined ? {} : { category }),
      ...(link === undefined ? {} : { link })
    }
    const exempt: Exempt = input.visibility !== undefined && moderates(actor) ? "stored text" : "nothing"
    yield* edits.change(actor, post, changes, inspection, exempt)
    return post.id
  })

  /** Answers the id of the thread. */
  const update = Effect.fn("Threads.update")(function* (mark: string, changes: ThreadChanges) {
    const text = changes.body === undefined ? undefined : yield* postText(changes.body)
    const inspection = yield* inspected({ title: changes.title, text })
    return yield* queuedByThread(mark, transaction(change(mark, changes, text, inspection)))
  })

  const remove = Effect.fn("Threads.remove")(function* (mark: string) {
    const removal = Effect.flatMap(getOwnForUpdate(mark), ({ actor, post }) =>
      removePost(actor.accountId, post)
    )
    yield* queuedByThread(mark, transaction(removal))
  })

  /** Notes that the caller has read a thread. Guests, and marks of no thread, change nothing. */
  const markRead = Effect.fn("Threads.markRead")(function* (mark: string) {
    const accountId = accountIdOf(yield* CurrentActor)
    const id = threadMark(mark)
    if (accountId === undefined || id === undefined) return
    yield* store.markRead(accountId, id, yield* DateTime.now)
  })

  return { create, update, remove, markRead } as const
})

export class Threads extends Context.Service<Threads, Effect.Success<typeof make>>()("forum/domain/Threads") {
  static readonly layer = Layer.effect(Threads, make)
}
