/** What people may do with threads (contract: content 3). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { DomainEvent } from "../event/DomainEvent.ts"
import { EventLog } from "../event/EventLog.ts"
import { type LinkAddress, LinkInvalid, linkAddress } from "../link/Link.ts"
import { accountIdOf, CurrentAccount, CurrentActor, checkPermission } from "../shared/Actor.ts"
import { type AccountId, PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { threadMark } from "../shared/Mark.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { slugify } from "../shared/Slug.ts"
import { Transaction } from "../shared/Transaction.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { NotYours } from "./Post.ts"
import { checkLength, checkMarkup, type PostText, postText } from "./PostText.ts"
import type { Reply } from "./Reply.ts"
import {
  AuthorUnknown,
  type NewThread,
  type Thread,
  type ThreadChanges,
  ThreadHidden,
  type ThreadListResult,
  ThreadNotFound
} from "./Thread.ts"
import { decideVisibilityFilter, mayChange, mayReadReply, mayReadThread } from "./ThreadRules.ts"
import { pageSize, ThreadStore, type ThreadUpdate } from "./ThreadStore.ts"

/** How a list of threads is narrowed and ordered. */
export interface ThreadQuery {
  readonly page: number
  readonly q: string | undefined
  readonly author: string | undefined
  readonly visibility: ReadonlyArray<Visibility>
  readonly tags: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly ignorePinned: boolean
}

/** A thread page, or that the caller's copy of it is still good. */
export type ThreadAnswer =
  | { readonly _tag: "Fresh"; readonly tag: string; readonly thread: Thread }
  | { readonly _tag: "Unchanged"; readonly tag: string }

const checkLink = (url: string | undefined): Effect.Effect<LinkAddress | undefined, LinkInvalid> => {
  if (url === undefined) return Effect.undefined
  const link = linkAddress(url)
  return link === undefined
    ? Effect.fail(new LinkInvalid({ metadata: { field: "url", url } }))
    : Effect.succeed(link)
}

const mentionsIn = (text: PostText, by: AccountId, threadId: PostId): ReadonlyArray<DomainEvent> =>
  [...new Set(text.mentions)]
    .filter((mentioned) => mentioned !== by)
    .map((mentioned) => ({ _tag: "MemberMentioned", by, mentioned, thread_id: threadId }))

const make = Effect.gen(function* () {
  const store = yield* ThreadStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const notFound = (mark: string) => new ThreadNotFound({ metadata: { thread_mark: mark } })

  const hideReplies = (
    thread: Thread,
    visible: (reply: Pick<Reply, "id" | "author" | "visibility">) => boolean
  ): Thread => {
    const replies = thread.replies.replies.filter(visible).map((reply) => {
      if (reply.reply_to === undefined || visible(reply.reply_to)) return reply
      const { reply_to: _, ...rest } = reply
      return rest
    })
    return { ...thread, replies: { ...thread.replies, replies } }
  }

  const get = Effect.fn("Threads.get")(function* (
    mark: string,
    page: number,
    known: string | undefined
  ): Effect.fn.Return<ThreadAnswer, ThreadNotFound | ThreadHidden, CurrentActor> {
    const viewer = yield* CurrentActor
    const id = threadMark(mark)
    if (id === undefined) return yield* notFound(mark)
    const found = Option.getOrUndefined(yield* store.page({ id, page, viewer, known }))
    if (found === undefined) return yield* notFound(mark)
    if (!mayReadThread(found, viewer)) return yield* new ThreadHidden()
    if (found.thread === undefined) return { _tag: "Unchanged", tag: found.tag }
    // A reply may quote the opening post, which whoever reads the thread may read.
    const visible = (reply: Pick<Reply, "id" | "author" | "visibility">) =>
      reply.id === id || mayReadReply({ authorId: reply.author.id, visibility: reply.visibility }, viewer)
    return { _tag: "Fresh", tag: found.tag, thread: hideReplies(found.thread, visible) }
  })

  /** A thread as whoever has just written it sees it: nobody writes what they may not read. */
  const getFresh = Effect.fnUntraced(function* (id: PostId) {
    const answer = yield* get(id, 1, undefined).pipe(Effect.catchTag("ThreadHidden", Effect.die))
    if (answer._tag === "Unchanged") return yield* Effect.die(new Error("Unchanged without a known tag"))
    return answer.thread
  })

  const list = Effect.fn("Threads.list")(function* (query: ThreadQuery) {
    const viewer = yield* CurrentActor
    const { author, visibility } = query
    const found = yield* store.list({
      listing: decideVisibilityFilter(viewer, { visibility, ofOneAuthor: author !== undefined }),
      viewer,
      page: query.page,
      ignorePinned: query.ignorePinned,
      text: query.q === "" ? undefined : query.q,
      author,
      tags: query.tags,
      categories: query.categories.includes("null") ? null : query.categories
    })
    if (Option.isNone(found)) return yield* new AuthorUnknown({ metadata: { author: author ?? "" } })
    const { threads, total } = found.value
    const numbers = pageEnvelope({ current: query.page, size: pageSize, total, results: threads.length })
    return { ...numbers, threads } satisfies ThreadListResult
  })

  const create = Effect.fn("Threads.create")(function* (input: NewThread) {
    const actor = yield* CurrentAccount
    if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
    const visibility = input.visibility ?? "draft"
    const text = postText(input.body ?? "")
    yield* checkMarkup(text, "thread")
    if (visibility === "published") yield* checkLength(text, "thread")
    const link = yield* checkLink(input.url)
    const id = PostId.make(yield* ids.next)
    const suffix = slugify(input.title)
    const inserted = store.insert({
      id,
      at: yield* DateTime.now,
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
    })
    const published: ReadonlyArray<DomainEvent> =
      visibility === "published" ? [{ _tag: "ThreadPublished", id }] : []
    const happened = [...published, ...mentionsIn(text, actor.accountId, id)]
    yield* transaction(Effect.andThen(inserted, events.append(actor.accountId, ...happened)))
    return yield* getFresh(id)
  })

  /** The thread behind a mark if the caller may change it, held until the transaction ends. */
  const lockOwn = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const id = threadMark(mark)
    const thread = id === undefined ? undefined : Option.getOrUndefined(yield* store.lock(id))
    if (thread === undefined) return yield* notFound(mark)
    if (!mayChange(thread, actor)) return yield* new NotYours()
    return { ...thread, actor }
  })

  const decideUpdate = Effect.fnUntraced(function* (input: ThreadChanges) {
    const { body, url, ...rest } = input
    const text = body === undefined ? undefined : postText(body)
    if (text !== undefined) {
      yield* checkMarkup(text, "thread")
      yield* checkLength(text, "thread")
    }
    const link = yield* checkLink(url)
    return {
      ...rest,
      ...(text === undefined ? {} : { text }),
      ...(link === undefined ? {} : { link })
    } satisfies ThreadUpdate
  })

  const update = Effect.fn("Threads.update")(function* (mark: string, input: ThreadChanges) {
    const id = yield* transaction(
      Effect.gen(function* () {
        const { actor, id, visibility } = yield* lockOwn(mark)
        if (input.pinned !== undefined) yield* checkPermission(actor, "MANAGE_POSTS")
        yield* store.update(id, yield* decideUpdate(input), yield* DateTime.now)
        yield* events.append(actor.accountId, ...updateEvents(id, visibility, input.visibility ?? visibility))
        return id
      })
    )
    return yield* getFresh(id)
  })

  const remove = Effect.fn("Threads.remove")(function* (mark: string) {
    yield* transaction(
      Effect.gen(function* () {
        const { actor, id } = yield* lockOwn(mark)
        yield* store.delete(id, yield* DateTime.now)
        yield* events.append(actor.accountId, { _tag: "ThreadDeleted", id })
      })
    )
  })

  /** Notes that the caller has read a thread. Guests, and marks of no thread, change nothing. */
  const markRead = Effect.fn("Threads.markRead")(function* (mark: string) {
    const accountId = accountIdOf(yield* CurrentActor)
    const id = threadMark(mark)
    if (accountId === undefined || id === undefined) return
    yield* store.markRead(accountId, id, yield* DateTime.now)
  })

  return { get, list, create, update, remove, markRead } as const
})

const updateEvents = (id: PostId, before: Visibility, after: Visibility): ReadonlyArray<DomainEvent> => {
  if (before === after) return [{ _tag: "ThreadUpdated", id }]
  const transition = after === "published" ? "ThreadPublished" : "ThreadUnpublished"
  return [
    { _tag: "ThreadUpdated", id },
    { _tag: transition, id }
  ]
}

export class Threads extends Context.Service<Threads, Effect.Success<typeof make>>()("forum/domain/Threads") {
  static readonly layer = Layer.effect(Threads, make)
}
