/** Reading threads: what a viewer may see, and what all viewers share of it. */

import { Context, Effect, Layer, Option } from "effect"
import { Deployment } from "../settings/Deployment.ts"
import { type Actor, accountIdOf, CurrentActor } from "../shared/Actor.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import { firstPage, type ListPlace, refuseCursor } from "../shared/ListPlace.ts"
import { readableBy, type VisibilityFilter } from "../shared/Visibility.ts"
import { replyPolicy } from "./PostVisibility.ts"
import { ThreadHidden, ThreadNotFound } from "./Thread.ts"
import type { Liked, ReplyPlace, ReplySelection, ThreadPageContent, ViewerState } from "./ThreadContent.ts"
import { makeThreadListing } from "./ThreadListing.ts"
import { mayReadThread, mayReadThreads, moderates } from "./ThreadRules.ts"
import { ThreadStore } from "./ThreadStore.ts"
import { audienceOf, repliesFor, stateFor, type ThreadSummary } from "./ThreadSummary.ts"

/** A page of a thread that the viewer may read. */
export interface ThreadView {
  readonly summary: ThreadSummary
  readonly place: ReplyPlace
  /** The tag of the answer: answers that differ have different tags. */
  readonly etag: string
  /** Who is shown the same text, except for the viewer's own data; if absent, nobody but the viewer. */
  readonly audience: string | undefined
  readonly state: ViewerState
  readonly viewer: AccountId | undefined
  /** Which replies of the page the viewer may read. */
  readonly readable: VisibilityFilter
  readonly content: Effect.Effect<ThreadPageContent, ThreadNotFound>
}

/**
 * What an answer depends on: its content, who asks, with which rights, for which page, and the release, as another one
 * may show the same content in another form.
 */
const etagOf = (release: string, summary: ThreadSummary, actor: Actor, { after, page }: ReplyPlace): string =>
  [
    release,
    summary.version,
    after === undefined ? page : `${page}-${after}`,
    accountIdOf(actor) ?? "guest",
    moderates(actor) ? "all" : "some",
    summary.state.lastReadAt ?? "unread",
    summary.state.newReplies,
    summary.state.newlyPublished
  ].join("/")

/** Where a page of replies begins; a cursor that names no reply is refused. */
const replyPlace = (place: ListPlace): Effect.Effect<ReplyPlace> => {
  const { after, page } = place
  if (after === undefined) return Effect.succeed({ page })
  const [ordinal = ""] = after
  return after.length === 1 && /^\d{1,9}$/.test(ordinal)
    ? Effect.succeed({ page, after: Number(ordinal) })
    : refuseCursor(place)
}

const firstReplies: ReplyPlace = { page: 1 }

const nothingLiked: Liked = new Set()

const nothingReadable: VisibilityFilter = { others: [], own: [] }

const make = Effect.gen(function* () {
  const store = yield* ThreadStore
  const list = yield* makeThreadListing
  const { version: release } = yield* Deployment

  const notFound = (mark: string) => new ThreadNotFound({ metadata: { thread_mark: mark } })

  const viewOf = (mark: string, summary: ThreadSummary, actor: Actor, place: ReplyPlace): ThreadView => ({
    summary,
    place,
    etag: etagOf(release, summary, actor, place),
    audience: audienceOf(summary, actor),
    state: stateFor(summary, actor),
    viewer: accountIdOf(actor),
    readable: readableBy(replyPolicy, actor),
    content: contentOf(mark, summary, place, repliesFor(summary, actor))
  })

  const contentOf = (mark: string, summary: ThreadSummary, place: ReplyPlace, replies: ReplySelection) =>
    Effect.flatMap(
      store.findPage(summary, place, replies),
      Option.match({ onNone: () => Effect.fail(notFound(mark)), onSome: Effect.succeed })
    )

  /** A page of the thread that a mark names, of which `summary` was found. */
  const view = Effect.fnUntraced(function* (
    mark: string,
    summary: Option.Option<ThreadSummary>,
    place: ListPlace
  ) {
    if (Option.isNone(summary)) return yield* notFound(mark)
    const actor = yield* CurrentActor
    if (!mayReadThread(summary.value, actor)) return yield* new ThreadHidden()
    return viewOf(mark, summary.value, actor, yield* replyPlace(place))
  })

  /**
   * The first page of the discussion of something that the caller may read, and with it the opening post,
   * whatever the visibility of the thread. The replies are for those who may read threads.
   */
  const discussion = Effect.fnUntraced(function* (id: PostId) {
    const actor = yield* CurrentActor
    const summary = yield* store.findSummary(id, accountIdOf(actor))
    if (Option.isNone(summary)) return yield* notFound(id)
    const view = viewOf(id, summary.value, actor, firstReplies)
    if (mayReadThreads(actor)) return view
    return {
      ...view,
      audience: undefined,
      readable: nothingReadable,
      state: { ...view.state, replies: 0, replied: 0, repliesSince: 0 },
      content: contentOf(id, summary.value, firstReplies, {
        count: 0,
        only: { filter: nothingReadable, viewer: undefined }
      })
    } satisfies ThreadView
  })

  /** Which of these posts the viewer likes; they are only named if there is any. */
  const liked = (
    { summary, viewer }: ThreadView,
    posts: () => ReadonlyArray<PostId>
  ): Effect.Effect<Liked> =>
    summary.hasLikes && viewer !== undefined ? store.liked(viewer, posts()) : Effect.succeed(nothingLiked)

  /** A thread's first page for the caller who has just written it: nobody writes what they may not read. */
  const written = Effect.fnUntraced(function* (id: PostId) {
    const summary = yield* store.findSummary(id, accountIdOf(yield* CurrentActor))
    return yield* Effect.catchTag(view(id, summary, firstPage), "ThreadHidden", Effect.die)
  })

  return {
    /** What a request for a thread asks storage along with its caller. */
    ahead: store.summary,
    /** The same for a caller that is known. */
    summary: (id: PostId, actor: Actor) => store.findSummary(id, accountIdOf(actor)),
    view,
    discussion,
    liked,
    written,
    list,
    references: store.references
  } as const
})

export class ThreadViews extends Context.Service<ThreadViews, Effect.Success<typeof make>>()(
  "forum/domain/ThreadViews"
) {
  static readonly layer = Layer.effect(ThreadViews, make)
}
