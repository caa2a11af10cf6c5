import { Effect } from "effect"
import { NodeViews, type ShownChildren } from "../../domain/library/NodeViews.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { cachingFor, knownEtag, notModified } from "../bytes/ConditionalResponse.ts"
import { joined } from "../bytes/Template.ts"
import { makeFeedLinks } from "../pipeline/FeedLinks.ts"
import { type ListRequest, linkNext, requestedPlace } from "../pipeline/ListPlaces.ts"
import { jsonBytes } from "../thread/ThreadPages.ts"
import { makeNodePages } from "./NodePages.ts"
import { listText } from "./NodeText.ts"

interface Reading {
  readonly params: { readonly node_slug: string }
  readonly query: { readonly children_sort?: string; readonly page?: string }
  readonly headers: { readonly "if-none-match"?: string }
}

interface Listing extends ListRequest {
  readonly query: {
    readonly page?: string
    readonly cursor?: string
    readonly q?: string
    readonly node_id?: NodeId
    readonly author?: string
    readonly visibility?: ReadonlyArray<Visibility>
    readonly depth?: string
    readonly format?: "tree" | "flat"
  }
}

/** How many levels below the top a list goes; a negative `depth` means none. */
const levelsBelow = (depth: string | undefined) =>
  depth === undefined ? undefined : Math.max(0, Number(depth))

const childrenOf = ({ children_sort, page }: Reading["query"]): ShownChildren | undefined =>
  children_sort === undefined ? undefined : { sort: children_sort, page: pageNumber(page) }

/** Handlers of the operations that read nodes. */
export const makeNodeReadHandlers = Effect.gen(function* () {
  const views = yield* NodeViews
  const page = yield* makeNodePages
  const links = yield* makeFeedLinks

  const get = Effect.fnUntraced(function* ({ headers, params, query }: Reading) {
    const view = yield* views.view(params.node_slug, childrenOf(query))
    const caching = cachingFor(yield* CurrentActor)
    if (view.etag === knownEtag(headers["if-none-match"])) return notModified(view.etag, caching)
    return jsonBytes(yield* page(view), { etag: `"${view.etag}"`, "cache-control": caching })
  })

  const list = Effect.fnUntraced(function* (request: Listing) {
    const { query } = request
    const found = yield* views.list({
      format: query.format ?? "tree",
      root: query.node_id,
      author: query.author,
      visibility: query.visibility ?? [],
      depth: levelsBelow(query.depth),
      q: query.q,
      place: yield* requestedPlace(request)
    })
    yield* linkNext(found.envelope.next_cursor)
    yield* links.feeds("/library")
    return jsonBytes(joined([yield* listText(found)]))
  })

  return { get, list } as const
})
