/** What search needs from storage. */
import { Context, type Effect } from "effect"
import type { AccountId, CategoryId, NodeId, PostId, TagId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { Titled } from "./Matches.ts"
import type { DatagraphMatch } from "./Search.ts"
import type { SearchedKind } from "./SearchRules.ts"

/** Authors, categories and tags as a request names them. */
export interface SearchedNames {
  /** Handles or ids of authors. */
  readonly authors: ReadonlyArray<string>
  /** Slugs or ids of categories. */
  readonly categories: ReadonlyArray<string>
  /** Names of tags as they are stored. */
  readonly tags: ReadonlyArray<string>
}

/** The ids of the authors, categories and tags that a request names, as far as they exist. */
export interface SearchedIds {
  readonly authors: ReadonlyArray<AccountId>
  readonly categories: ReadonlyArray<CategoryId>
  readonly tags: ReadonlyArray<TagId>
}

export interface SearchFilter extends SearchedIds {
  /** The kinds of items to look for, one at least. */
  readonly kinds: ReadonlyArray<SearchedKind>
  /** The text to look for, in the form of `searchForm`; if absent, text does not matter. */
  readonly text: string | undefined
  readonly place: ListPlace
}

export type FoundItem =
  | { readonly id: PostId; readonly kind: "thread" | "reply" }
  | { readonly id: NodeId; readonly kind: "node" }

/** A page of what was found, of which `resultsMax` are counted and shown. */
export interface SearchPage extends ListExtent {
  readonly found: ReadonlyArray<FoundItem>
}

export class SearchStore extends Context.Service<
  SearchStore,
  {
    readonly resolve: (names: SearchedNames) => Effect.Effect<SearchedIds>
    /**
     * A page of what all readers may read: any of the authors and categories and all of the tags; none named, any.
     * Pages have no category, so that categories do not narrow them.
     * With a text, the best first: titles, then how often the text occurs, then the newest; else the newest first.
     * It ends when it has taken `searchSeconds`.
     */
    readonly search: (filter: SearchFilter) => Effect.Effect<SearchPage, SearchTookTooLong>
    /** What all readers may read and whose titles have a word with one of these beginnings: some of each kind. */
    readonly titlesWith: (
      beginnings: ReadonlyArray<string>,
      kinds: ReadonlyArray<SearchedKind>
    ) => Effect.Effect<ReadonlyArray<Titled<string>>>
    /** The items with these ids that are still there and published, in no order. */
    readonly findMatches: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DatagraphMatch>>
  }
>()("forum/domain/SearchStore") {}
