import { Effect, Option } from "effect"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import type { PostId } from "../../domain/shared/Id.ts"
import { PostLocations } from "../../domain/thread/PostLocations.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import type { ThreadQuery } from "../../domain/thread/ThreadListing.ts"
import { Threads } from "../../domain/thread/Threads.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { makeFeedLinks } from "../pipeline/FeedLinks.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { type ListRequest, linkNext, requestedPlace } from "../pipeline/ListPlaces.ts"
import { AddressedPost, RequestedThread } from "./ThreadAccess.ts"
import { jsonBytes, makeThreadPages, requestedReplies } from "./ThreadPages.ts"

/** What of a list its feeds are narrowed by, too. */
const followedBy = ({ author, categories }: Pick<ThreadQuery, "author" | "categories">) => {
  const [category, ...others] = categories
  return { category: others.length > 0 || category === "null" ? undefined : category, author }
}

export const threads = group(
  ForumApi,
  "threads",
  Effect.fnUntraced(function* (handlers) {
    const threads = yield* Threads
    const views = yield* ThreadViews
    const pages = yield* makeThreadPages
    const links = yield* makeFeedLinks

    const get = Effect.fnUntraced(function* (
      mark: string,
      query: ListRequest["query"],
      ifNoneMatch: string | undefined
    ) {
      const found = yield* RequestedThread
      const place = yield* requestedReplies(Option.isSome(found) ? found.value.id : mark, query)
      const view = yield* views.view(mark, found, place)
      const caching = cachingFor(yield* CurrentActor)
      if (view.etag === knownEtag(ifNoneMatch)) return notModified(view.etag, caching)
      const { body, next } = yield* pages.page(view)
      yield* linkNext(next)
      return jsonBytes(body, { etag: `"${view.etag}"`, "cache-control": caching })
    })

    const written = Effect.fnUntraced(function* (id: PostId) {
      return jsonBytes((yield* pages.page(yield* views.written(id))).body)
    })

    const list = Effect.fnUntraced(function* (request: ListRequest, query: Omit<ThreadQuery, "place">) {
      const { envelope, threads } = yield* views.list({ ...query, place: yield* requestedPlace(request) })
      yield* linkNext(envelope.next_cursor)
      yield* links.feeds("/threads", followedBy(query))
      return jsonBytes(yield* pages.list(envelope, threads), { "cache-control": "no-store" })
    })

    return handlers.handleAll({
      list: (request) => {
        const {
          author,
          categories = [],
          ignore_pinned = false,
          q,
          tags = [],
          visibility = []
        } = request.query
        return list(request, { q, author, visibility, tags, categories, ignorePinned: ignore_pinned })
      },
      create: ({ payload }) => Effect.flatMap(threads.create(payload), written),
      get: ({ headers, params, query }) => get(params.thread_mark, query, headers["if-none-match"]),
      update: ({ params, payload }) => Effect.flatMap(threads.update(params.thread_mark, payload), written),
      delete: ({ params }) => threads.remove(params.thread_mark)
    })
  })
)

export const replies = group(
  ForumApi,
  "replies",
  Effect.fnUntraced(function* (handlers) {
    const posts = yield* Posts
    return handlers.handleAll({
      reply: ({ params, payload }) =>
        Effect.flatMap(AddressedPost, (found) => posts.reply(params.thread_mark, found, payload))
    })
  })
)

export const posts = group(
  ForumApi,
  "posts",
  Effect.fnUntraced(function* (handlers) {
    const posts = yield* Posts
    const locations = yield* PostLocations
    return handlers.handleAll({
      locate: ({ query }) => locations.get(query.id),
      update: ({ params, payload }) => posts.update(params.post_id, payload),
      delete: ({ params }) => posts.remove(params.post_id)
    })
  })
)
