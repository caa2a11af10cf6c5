/** Thread pages and lists as responses: their texts are written once for all viewers. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { PostId } from "../../domain/shared/Id.ts"
import type { PageEnvelope } from "../../domain/shared/Page.ts"
import { isSameForAll, type Liked, visibleReplies } from "../../domain/thread/ThreadContent.ts"
import type { ThreadHead } from "../../domain/thread/ThreadHead.ts"
import { type ThreadView, ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { joined, pieces, type Template } from "../shared/Template.ts"
import { TextCache } from "../shared/TextCache.ts"
import { differencesFor, pageTemplate, postsIn, referenceTemplate } from "./ThreadText.ts"

const nothingLiked: Liked = new Set()

export const makeThreadPages = Effect.gen(function* () {
  const views = yield* ThreadViews
  const cache = yield* TextCache

  const write = Effect.fnUntraced(function* (view: ThreadView, key: string) {
    const content = yield* view.content
    const template = pageTemplate(content, visibleReplies(content, view.readable, view.viewer))
    // Some viewers see replies that others do not: such a page is written for each.
    return isSameForAll(content.replies) ? cache.keep(key, view.head.version, template) : template
  })

  /** The body of a thread's page for its viewer. */
  const page = Effect.fnUntraced(function* (view: ThreadView) {
    const key = `page ${view.page} of ${view.head.id}`
    const template = cache.get(key, view.head.version) ?? (yield* write(view, key))
    const liked = yield* views.liked(view, () => postsIn(template))
    return joined(pieces(template, differencesFor(view.head.state, liked)))
  })

  /** The templates of listed threads, those of which no text is kept read from storage. */
  const templatesOf = Effect.fnUntraced(function* (threads: ReadonlyArray<ThreadHead>) {
    const found = new Map<PostId, Template>()
    const missing = threads.filter(({ id, version }) => {
      const template = cache.get(listed(id), version)
      if (template !== undefined) found.set(id, template)
      return template === undefined
    })
    const versions = new Map(missing.map(({ id, version }) => [id, version]))
    for (const thread of yield* views.references(missing)) {
      const { id } = thread.shared
      found.set(id, cache.keep(listed(id), versions.get(id) ?? "", referenceTemplate(thread)))
    }
    return found
  })

  /** The body of a list; a thread that was deleted since it was listed is left out. */
  const list = Effect.fnUntraced(function* (envelope: PageEnvelope, threads: ReadonlyArray<ThreadHead>) {
    const templates = yield* templatesOf(threads)
    const items = threads.flatMap(({ hasLikes, id, state }) => {
      const template = templates.get(id)
      if (template === undefined) return []
      return [pieces(template, differencesFor(state, hasLikes ? new Set([id]) : nothingLiked))]
    })
    const numbers = { ...envelope, results: items.length }
    const separated = items.flatMap((item, place) => (place === 0 ? item : [",", ...item]))
    return joined([`${JSON.stringify(numbers).slice(0, -1)},"threads":[`, ...separated, "]}"])
  })

  return { page, list } as const
})

const listed = (id: PostId) => `${id} in a list`

/** A response whose body is written already. */
export const jsonBytes = (body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
