/** Searching everything, and suggesting titles while somebody types. */
import { Context, Effect, Layer } from "effect"
import type { DatagraphItem } from "../datagraph/DatagraphItem.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { slugify } from "../shared/Slug.ts"
import { searched } from "../text/SearchText.ts"
import { beginningOf } from "../text/Terms.ts"
import type { DatagraphItemKind } from "../vocabulary/Kinds.ts"
import { bestOf, typed } from "./Matches.ts"
import { type DatagraphMatch, type DatagraphSearchResult, pageSize } from "./Search.ts"
import { decideKinds } from "./SearchRules.ts"
import { type FoundItem, type SearchedNames, type SearchPage, SearchStore } from "./SearchStore.ts"

/** How a search is narrowed; an empty list narrows nothing. */
export interface SearchQuery {
  readonly q: string | undefined
  readonly kinds: ReadonlyArray<DatagraphItemKind>
  /** Handles or ids of authors; a result has any of them. */
  readonly authors: ReadonlyArray<string>
  /** Slugs or ids of categories; a result is in any of them. */
  readonly categories: ReadonlyArray<string>
  /** Names of tags; a result has all of them. */
  readonly tags: ReadonlyArray<string>
  readonly place: ListPlace
}

const nothing: SearchPage = { total: 0, found: [] }
const noNames = { authors: [], categories: [], tags: [] }

const namesIn = ({ authors, categories, tags }: SearchQuery): SearchedNames => ({
  authors,
  categories,
  tags: [...new Set(tags.map(slugify))]
})

const make = Effect.gen(function* () {
  const store = yield* SearchStore
  const datagraph = yield* DatagraphItems

  /** The ids that the names of a query stand for; undefined if nothing can be found with them. */
  const resolve = Effect.fnUntraced(function* (names: SearchedNames) {
    const asked = [...names.authors, ...names.categories, ...names.tags]
    const ids = asked.length === 0 ? noNames : yield* store.resolve(names)
    const isUnknown =
      (names.authors.length > 0 && ids.authors.length === 0) ||
      (names.categories.length > 0 && ids.categories.length === 0) ||
      ids.tags.length < names.tags.length
    return isUnknown ? undefined : ids
  })

  const find = Effect.fnUntraced(function* (query: SearchQuery) {
    const kinds = decideKinds(yield* CurrentActor, query.kinds)
    const ids = kinds.length === 0 ? undefined : yield* resolve(namesIn(query))
    if (ids === undefined) return nothing
    return yield* store.search({ ...ids, kinds, text: searched(query.q), place: query.place })
  })

  /** What was found as its viewer may read it, in its order; what has been hidden since is left out. */
  const itemsOf = Effect.fnUntraced(function* (found: ReadonlyArray<FoundItem>) {
    const viewer = yield* CurrentActor
    const postIds = (kind: "thread" | "reply") => found.flatMap((one) => (one.kind === kind ? [one.id] : []))
    const nodeIds = found.flatMap((one) => (one.kind === "node" ? [one.id] : []))
    const [threads, replies, nodes] = yield* Effect.all(
      [
        datagraph.findThreads(postIds("thread"), viewer),
        datagraph.findReplies(postIds("reply"), viewer),
        datagraph.findNodes(nodeIds, viewer)
      ],
      { concurrency: "unbounded" }
    )
    const items = new Map<string, DatagraphItem>([...threads, ...replies, ...nodes])
    return found.flatMap(({ id }) => items.get(id) ?? [])
  })

  const search = Effect.fn("Searches.search")(function* (query: SearchQuery) {
    const { found, ...extent } = yield* find(query)
    const items = yield* itemsOf(found)
    const envelope = listEnvelope({ ...extent, place: query.place, size: pageSize, results: items.length })
    return { ...envelope, items } satisfies DatagraphSearchResult
  })

  const matches = Effect.fn("Searches.matches")(function* (
    q: string,
    asked: ReadonlyArray<DatagraphItemKind>
  ) {
    // Replies have no title of their own.
    const kinds = decideKinds(yield* CurrentActor, asked).filter((kind) => kind !== "reply")
    const what = typed(q)
    if (what.tokens.length === 0 || kinds.length === 0) return { items: [] }
    const beginnings = new Set([what.phrase, ...what.tokens].map(beginningOf))
    const ids = bestOf(yield* store.titlesWith([...beginnings], kinds), what)
    const found = new Map<string, DatagraphMatch>(
      (yield* store.findMatches(ids)).map((match) => [match.id, match])
    )
    return { items: ids.flatMap((id) => found.get(id) ?? []) }
  })

  return { search, matches } as const
})

export class Searches extends Context.Service<Searches, Effect.Success<typeof make>>()(
  "forum/domain/Searches"
) {
  static readonly layer = Layer.effect(Searches, make).pipe(Layer.provide(DatagraphItems.layer))
}
