/** What people may do with threads. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { CategoryStore } from "../category/CategoryStore.ts"
import type { DomainEvent } from "../event/DomainEvent.ts"
import { EventLog } from "../event/EventLog.ts"
import { checkAddress, type LinkInvalid } from "../link/Link.ts"
import type { LinkAddress } from "../link/LinkAddress.ts"
import { accountIdOf, CurrentAccount, CurrentActor, checkPermission } from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { slugWithin } from "../shared/Slug.ts"
import { Transaction } from "../shared/Transaction.ts"
import { makeInTurn } from "./InTurn.ts"
import { makeMentions } from "./Mentions.ts"
import { NotYours } from "./Post.ts"
import { PostStore } from "./PostStore.ts"
import { checkLength, checkMarkup, makePostText, type PostText } from "./PostText.ts"
import { type NewThread, type ThreadChanges, ThreadNotFound } from "./Thread.ts"
import { makeThreadEdits } from "./ThreadEdits.ts"
import { mayChange } from "./ThreadRules.ts"
import { type ThreadInsert, ThreadStore, type ThreadUpdate } from "./ThreadStore.ts"

// Of the part that follows the id, so that addresses with it stay short.
const slugLength = 100

const checkLink = (url: string | undefined): Effect.Effect<LinkAddress | undefined, LinkInvalid> =>
  url === undefined ? Effect.undefined : checkAddress("url", url)

const make = Effect.gen(function* () {
  const store = yield* ThreadStore
  const posts = yield* PostStore
  const categories = yield* CategoryStore
  const edits = yield* makeThreadEdits
  const mentions = yield* makeMentions
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const postText = yield* makePostText
  const inTurn = yield* makeInTurn

  const insert = Effect.fnUntraced(function* (thread: ThreadInsert, happened: ReadonlyArray<DomainEvent>) {
    if (thread.category !== undefined) yield* categories.checkForUse("category", thread.category)
    yield* store.insert(thread)
    const mentioned = yield* mentions.created({ ...thread, thread }, thread.text)
    yield* events.append(thread.authorId, ...happened, ...mentioned)
  })

  /** Answers the id of the thread. */
  const create = Effect.fn("Threads.create")(function* (input: NewThread) {
    const actor = yield* CurrentAccount
    if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
    const visibility = input.visibility ?? "draft"
    const text = yield* postText(input.body ?? "")
    yield* checkMarkup(text, "thread")
    if (visibility === "published") yield* checkLength(text.length, "thread")
    const link = yield* checkLink(input.url)
    const id = PostId.make(yield* ids.next)
    const suffix = slugWithin(input.title, slugLength)
    const at = yield* DateTime.now
    const published: ReadonlyArray<DomainEvent> =
      visibility === "published" ? [{ _tag: "ThreadPublished", id }] : []
    const thread: ThreadInsert = {
      id,
      at,
      authorId: actor.accountId,
      title: input.title,
      slug: suffix === "" ? id : `${id}-${suffix}`,
      text,
      category: input.category,
      tags: input.tags ?? [],
      visibility,
      pinned: input.pinned ?? 0,
      link,
      meta: input.meta ?? {}
    }
    yield* transaction(insert(thread, published))
    return id
  })

  /** The thread behind a mark if the caller may change it, locked until the transaction ends. */
  const findOwnForUpdate = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const id = threadMark(mark)
    const post = id === undefined ? undefined : Option.getOrUndefined(yield* posts.findForUpdate(id))
    if (post === undefined || post.id !== post.thread.id) {
      return yield* new ThreadNotFound({ metadata: { thread_mark: mark } })
    }
    if (!mayChange(post.thread, actor)) return yield* new NotYours()
    return { actor, post }
  })

  const change = Effect.fnUntraced(function* (
    mark: string,
    { body: _, category, url, ...input }: ThreadChanges,
    text: PostText | undefined
  ) {
    const { actor, post } = yield* findOwnForUpdate(mark)
    if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
    const link = yield* checkLink(url)
    if (category !== undefined) yield* categories.checkForUse("category", category)
    const changes: ThreadUpdate = {
      ...input,
      ...(text === undefined ? {} : { text }),
      ...(category === undefined ? {} : { category }),
      ...(link === undefined ? {} : { link })
    }
    yield* edits.change(actor, post, changes)
    return post.id
  })

  /** Answers the id of the thread. */
  const update = Effect.fn("Threads.update")(function* (mark: string, changes: ThreadChanges) {
    const text = changes.body === undefined ? undefined : yield* postText(changes.body)
    return yield* inTurn(mark, transaction(change(mark, changes, text)))
  })

  const remove = Effect.fn("Threads.remove")(function* (mark: string) {
    const removal = Effect.flatMap(findOwnForUpdate(mark), ({ actor, post }) => edits.remove(actor, post))
    yield* inTurn(mark, transaction(removal))
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
