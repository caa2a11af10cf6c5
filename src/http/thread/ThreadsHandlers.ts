import { Effect } from "effect"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import type { PostId } from "../../domain/shared/Id.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { PostLocations } from "../../domain/thread/PostLocations.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import type { ThreadQuery } from "../../domain/thread/ThreadListing.ts"
import { Threads } from "../../domain/thread/Threads.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { AddressedPost, RequestedThread } from "./ThreadAccess.ts"
import { jsonBytes, makeThreadPages } from "./ThreadPages.ts"

export const threads = group(
  ForumApi,
  "threads",
  Effect.fnUntraced(function* (handlers) {
    const threads = yield* Threads
    const views = yield* ThreadViews
    const pages = yield* makeThreadPages

    const get = Effect.fnUntraced(function* (
      mark: string,
      page: string | undefined,
      ifNoneMatch: string | undefined
    ) {
      const view = yield* views.view(mark, yield* RequestedThread, pageNumber(page))
      const caching = cachingFor(yield* CurrentActor)
      if (view.etag === knownEtag(ifNoneMatch)) return notModified(view.etag, caching)
      return jsonBytes(yield* pages.page(view), { etag: `"${view.etag}"`, "cache-control": caching })
    })

    const written = Effect.fnUntraced(function* (id: PostId) {
      return jsonBytes(yield* pages.page(yield* views.written(id)))
    })

    const list = Effect.fnUntraced(function* (query: ThreadQuery) {
      const { envelope, threads } = yield* views.list(query)
      return jsonBytes(yield* pages.list(envelope, threads), { "cache-control": "no-store" })
    })

    return handlers.handleAll({
      list: ({ query }) =>
        list({
          page: pageNumber(query.page),
          q: query.q,
          author: query.author,
          visibility: query.visibility ?? [],
          tags: query.tags ?? [],
          categories: query.categories ?? [],
          ignorePinned: query.ignore_pinned ?? false
        }),
      create: ({ payload }) => Effect.flatMap(threads.create(payload), written),
      get: ({ headers, params, query }) => get(params.thread_mark, query.page, headers["if-none-match"]),
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
