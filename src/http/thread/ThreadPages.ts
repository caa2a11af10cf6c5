/** Thread pages and lists as responses: their texts are written once for all viewers. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { PostId } from "../../domain/shared/Id.ts"
import {
  type CursorMismatch,
  type ListPlace,
  numberedPage,
  type RowKey
} from "../../domain/shared/ListPlace.ts"
import { type PageEnvelope, pageNumber } from "../../domain/shared/Page.ts"
import { UnsettledReads } from "../../domain/storage/Transaction.ts"
import { isSameForAll, type Liked, visibleReplies } from "../../domain/thread/ThreadContent.ts"
import type { ListedThread } from "../../domain/thread/ThreadListing.ts"
import type { ListedSummary } from "../../domain/thread/ThreadSummary.ts"
import { type ThreadView, ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { type Content, joined, pieces, type Template } from "../bytes/Template.ts"
import { TextCache } from "../bytes/TextCache.ts"
import { listDigest, writeCursor } from "../pipeline/Cursors.ts"
import { requestedPlace } from "../pipeline/ListPlaces.ts"
import { getThread } from "./ThreadsApi.ts"
import { differencesFor, nextIn, pageTemplate, postsIn, referenceTemplate } from "./ThreadText.ts"

const nothingLiked: Liked = new Set()

/** The thread whose page is asked for: by whichever mark, its cursors are the same. */
const parametersOf = (id: string) => ({ thread_mark: id })

/** The cursor of the replies after one, on the page with this number. */
const cursorOf = (id: PostId, after: RowKey, page: number): string =>
  writeCursor({ list: listDigest(getThread.path, [parametersOf(id), {}]), page, after })

/** Where a request for a page of a thread asks to begin. */
export const requestedReplies = (
  id: string,
  query: { readonly page?: string; readonly cursor?: string }
): Effect.Effect<ListPlace, CursorMismatch> =>
  query.cursor === undefined
    ? Effect.succeed(numberedPage(pageNumber(query.page)))
    : requestedPlace({ endpoint: getThread, params: parametersOf(id), query })

export const makeThreadPages = Effect.gen(function* () {
  const views = yield* ThreadViews
  const cache = yield* TextCache

  const write = Effect.fnUntraced(function* (view: ThreadView, key: string | undefined) {
    const content = yield* view.content
    const next = content.next && cursorOf(view.summary.id, content.next, view.place.page + 1)
    const template = pageTemplate(content, visibleReplies(content, view.readable, view.viewer), next)
    // Some viewers see replies that others do not: such a page is written for each.
    if (key === undefined || !isSameForAll(content.replies)) return template
    const { since, whenCommitted } = yield* UnsettledReads
    const keep = () => cache.keep(key, view.summary.version, template)
    if (since() === undefined) return keep()
    whenCommitted(keep)
    return template
  })

  /** The body of a thread's page for its viewer, and the cursor of the one that follows. */
  const page = Effect.fnUntraced(function* (view: ThreadView) {
    const { audience, place, summary } = view
    const after = place.after === undefined ? "" : ` after ${place.after}`
    const key =
      audience === undefined ? undefined : `page ${place.page}${after} of ${summary.id} for ${audience}`
    const { since } = yield* UnsettledReads
    const kept = key === undefined ? undefined : cache.get(key, summary.version, since())
    const template = kept ?? (yield* write(view, key))
    const liked = yield* views.liked(view, () => postsIn(template))
    return { body: joined(pieces(template, differencesFor(view.state, liked))), next: nextIn(template) }
  })

  /** The templates of listed threads, those of which no text is kept read from storage. */
  const templatesOf = Effect.fnUntraced(function* (threads: ReadonlyArray<ListedSummary>) {
    const found = new Map<PostId, Template>()
    const missing = threads.filter(({ id, version }) => {
      const template = cache.get(id, version)
      if (template !== undefined) found.set(id, template)
      return template === undefined
    })
    const versions = new Map(missing.map(({ id, version }) => [id, version]))
    for (const thread of yield* views.references(missing)) {
      const { id } = thread.shared
      found.set(id, cache.keep(id, versions.get(id) ?? "", referenceTemplate(thread)))
    }
    return found
  })

  /** The body of a list; a thread that was deleted since it was listed is left out. */
  const list = Effect.fnUntraced(function* (envelope: PageEnvelope, threads: ReadonlyArray<ListedThread>) {
    const templates = yield* templatesOf(threads.map(({ summary }) => summary))
    const items: Array<Content> = []
    let results = 0
    for (const { summary, state } of threads) {
      const template = templates.get(summary.id)
      if (template === undefined) continue
      const liked = summary.hasLikes ? new Set([summary.id]) : nothingLiked
      if (results > 0) items.push(",")
      items.push(...pieces(template, differencesFor(state, liked)))
      results += 1
    }
    return joined([`${JSON.stringify({ ...envelope, results }).slice(0, -1)},"threads":[`, ...items, "]}"])
  })

  return { page, list } as const
})

/** A response whose body is written already. */
export const jsonBytes = (body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
