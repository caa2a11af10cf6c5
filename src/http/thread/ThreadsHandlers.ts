import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import type { Thread, ThreadListResult } from "../../domain/thread/Thread.ts"
import { Threads } from "../../domain/thread/Threads.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, jsonWithEtag, knownEtag, notModified } from "../shared/ConditionalResponse.ts"

/**
 * The pages that are read most are written as they are, without their schemas:
 * encoding their thousands of values by schema costs more than assembling and
 * writing them. The domain's values have the form they go out in, instants
 * included; the tests hold every answer to its declared schema.
 */
const written = (page: Thread | ThreadListResult) => JSON.stringify(page)

export const threads = HttpApiBuilder.group(
  ForumApi,
  "threads",
  Effect.fnUntraced(function* (handlers) {
    const threads = yield* Threads

    const get = Effect.fnUntraced(function* (
      mark: string,
      page: string | undefined,
      ifNoneMatch: string | undefined
    ) {
      const answer = yield* threads.get(mark, pageNumber(page), knownEtag(ifNoneMatch))
      const caching = cachingFor(yield* CurrentActor)
      return answer._tag === "Unchanged"
        ? notModified(answer.tag, caching)
        : jsonWithEtag(written(answer.thread), answer.tag, caching)
    })

    return handlers.handleAll({
      list: ({ query }) =>
        Effect.map(
          threads.list({
            page: pageNumber(query.page),
            q: query.q,
            author: query.author,
            visibility: query.visibility ?? [],
            tags: query.tags ?? [],
            categories: query.categories ?? [],
            ignorePinned: query.ignore_pinned ?? false
          }),
          (page) =>
            HttpServerResponse.text(written(page), {
              contentType: "application/json",
              headers: { "cache-control": "no-store" }
            })
        ),
      create: ({ payload }) => threads.create(payload),
      get: ({ headers, params, query }) => get(params.thread_mark, query.page, headers["if-none-match"]),
      update: ({ params, payload }) => threads.update(params.thread_mark, payload),
      delete: ({ params }) => threads.remove(params.thread_mark)
    })
  })
)

export const replies = HttpApiBuilder.group(
  ForumApi,
  "replies",
  Effect.fnUntraced(function* (handlers) {
    const posts = yield* Posts
    return handlers.handleAll({
      reply: ({ params, payload }) => posts.reply(params.thread_mark, payload)
    })
  })
)

export const posts = HttpApiBuilder.group(
  ForumApi,
  "posts",
  Effect.fnUntraced(function* (handlers) {
    const posts = yield* Posts
    return handlers.handleAll({
      update: ({ params, payload }) => posts.update(params.post_id, payload),
      delete: ({ params }) => posts.remove(params.post_id)
    })
  })
)
