/** Feeds of threads and of their replies. */
import { Context, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { CategoryNotFound } from "../category/Category.ts"
import { CategoryStore } from "../category/CategoryStore.ts"
import { Callers } from "../session/Callers.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentActor } from "../shared/Actor.ts"
import { slugify } from "../shared/Slug.ts"
import { TagNotFound } from "../tag/TagDetail.ts"
import { TagStore } from "../tag/TagStore.ts"
import { allParts, withoutText } from "../thread/PostOmission.ts"
import { AuthorUnknown } from "../thread/Thread.ts"
import { decideVisibilityFilter } from "../thread/ThreadRules.ts"
import { ThreadStore } from "../thread/ThreadStore.ts"
import type { ListedSummary } from "../thread/ThreadSummary.ts"
import { ThreadViews } from "../thread/ThreadViews.ts"
import type { FeedHead, FeedView } from "./Feed.ts"
import { makeAsGuest } from "./FeedReader.ts"
import { wholeOnes } from "./FeedRules.ts"
import { threadEntry } from "./PostEntries.ts"
import { makeReplyFeed } from "./ReplyFeed.ts"
import { namesAt, webPages } from "./WebPages.ts"

/** What the threads of a feed have in common; nothing that is absent. */
export interface ThreadFeedQuery {
  /** The slug of a category. */
  readonly category: string | undefined
  /** The name of a tag. */
  readonly tag: string | undefined
  /** The handle or the id of an account. */
  readonly author: string | undefined
}

/** Something that narrows a feed of threads. */
interface Narrowing {
  readonly id: string
  readonly title: string
  /** The web page about it. */
  readonly address: string
}

const unlessGiven = <A, B, E>(given: A | undefined, find: (given: A) => Effect.Effect<B, E>) =>
  given === undefined ? Effect.undefined : find(given)

const make = Effect.gen(function* () {
  const threads = yield* ThreadStore
  const categories = yield* CategoryStore
  const tags = yield* TagStore
  const accounts = yield* AccountStore
  const settings = yield* InstanceSettings
  const deployment = yield* Deployment
  const { asGuestWith } = yield* makeAsGuest
  const pages = webPages(deployment)
  const places = { pages, names: namesAt(deployment) }

  const getCategory = Effect.fnUntraced(function* (category: string) {
    const found = Option.getOrUndefined(yield* categories.findBySlug(category))
    if (found === undefined) return yield* new CategoryNotFound({ metadata: { category_slug: category } })
    return { id: found.slug, title: found.name, address: pages.category(found.slug) } satisfies Narrowing
  })

  const getTag = Effect.fnUntraced(function* (tag: string) {
    const found = Option.getOrUndefined(yield* tags.findByName(slugify(tag)))
    if (found === undefined) return yield* new TagNotFound({ metadata: { tag_name: tag } })
    return { id: found.id, title: found.name, address: pages.tag(found.name) } satisfies Narrowing
  })

  const getAuthor = Effect.fnUntraced(function* (author: string) {
    const id = Option.getOrUndefined(yield* accounts.findIdByHandleOrId(author))
    const found = id === undefined ? Option.none() : yield* accounts.find(id)
    if (id === undefined || Option.isNone(found)) return yield* new AuthorUnknown({ metadata: { author } })
    const { handle, name } = found.value
    return { id, title: name === "" ? handle : name, address: pages.profile(handle) }
  })

  const headOf = Effect.fnUntraced(function* (narrowings: ReadonlyArray<Narrowing>) {
    const { description, title } = yield* settings.general
    const [only] = narrowings
    return {
      name: places.names.tag(
        ["threads", ...narrowings.map(({ id }) => id)].map(encodeURIComponent).join("/")
      ),
      title: [title, ...narrowings.map((narrowing) => narrowing.title)].join(" / "),
      description,
      address: narrowings.length === 1 && only !== undefined ? only.address : pages.home
    } satisfies FeedHead
  })

  /** The entries of threads, of which those have their texts for which there is room. */
  const entriesOf = Effect.fnUntraced(function* (summaries: ReadonlyArray<ListedSummary>) {
    const whole = wholeOnes(summaries.map(({ openingWeight }) => openingWeight))
    const wanted = summaries.map((summary, place) => ({
      summary,
      parts: whole[place] === true ? allParts : withoutText
    }))
    const found = new Map(
      (yield* threads.referencesInPart(wanted)).map(({ omitted, reference }) => [
        reference.shared.id,
        threadEntry(reference, !omitted.includes("body"), places)
      ])
    )
    // Threads that were deleted since they were listed are left out.
    return summaries.flatMap(({ id }) => found.get(id) ?? [])
  })

  const narrowed = Effect.fnUntraced(function* ({ author, category, tag }: ThreadFeedQuery) {
    const found = yield* Effect.all(
      {
        category: unlessGiven(category, getCategory),
        tag: unlessGiven(tag, getTag),
        author: unlessGiven(author, getAuthor)
      },
      { concurrency: "unbounded" }
    )
    const head = yield* headOf([found.category, found.tag, found.author].flatMap((one) => one ?? []))
    const summaries = yield* threads.newest({
      filter: decideVisibilityFilter(yield* CurrentActor, {
        visibility: ["published"],
        ofOneAuthor: found.author !== undefined
      }),
      author: found.author?.id,
      tags: found.tag === undefined ? [] : [found.tag.id],
      categories: found.category === undefined ? [] : [found.category.id]
    })
    return {
      version: [...Object.values(head), ...summaries.map(({ id, version }) => `${id}.${version}`)],
      feed: Effect.map(entriesOf(summaries), (entries) => ({ ...head, entries }))
    } satisfies FeedView<never>
  })

  const replies = yield* makeReplyFeed(places)

  return {
    /** The newest replies to the thread that a mark names, as guests find them. */
    replies: Effect.fn("ThreadFeeds.replies")((mark: string) =>
      asGuestWith("READ_PUBLISHED_THREADS", replies(mark))
    ),
    /** The threads that were active last, as guests find them. */
    threads: Effect.fn("ThreadFeeds.threads")((query: ThreadFeedQuery) =>
      asGuestWith("READ_PUBLISHED_THREADS", narrowed(query))
    )
  } as const
})

export class ThreadFeeds extends Context.Service<ThreadFeeds, Effect.Success<typeof make>>()(
  "forum/domain/ThreadFeeds"
) {
  static readonly layer = Layer.effect(ThreadFeeds, make).pipe(
    Layer.provide(Layer.mergeAll(Callers.layer, InstanceSettings.layer, ThreadViews.layer))
  )
}
