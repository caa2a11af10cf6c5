/** The children of a page in an order, a page of them at a time. */
import { Context, type Effect } from "effect"
import type { AccountId, NodeId } from "../shared/Id.ts"
import type { VisibilityFilter } from "../shared/Visibility.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { ChildSort } from "./ChildSort.ts"

export interface ChildQuery {
  readonly parent: NodeId
  readonly visible: VisibilityFilter
  readonly viewer: AccountId | undefined
  /** The order that they are put into by hand if undefined, or if they share no such property. */
  readonly sort: ChildSort | undefined
  /** What the names contain, in the form in which texts are compared. */
  readonly name: string | undefined
  /** Slugs of tags: each child has one of these. If empty, tags do not matter. */
  readonly tags: ReadonlyArray<string>
  readonly page: number
}

export interface ChildPage {
  /** The places on all pages. */
  readonly total: number
  readonly ids: ReadonlyArray<NodeId>
}

export class ChildOrder extends Context.Service<
  ChildOrder,
  {
    /** Pages have `childrenShown` places each, of which large children take several. */
    readonly page: (query: ChildQuery) => Effect.Effect<ChildPage, SearchTookTooLong>
  }
>()("forum/domain/ChildOrder") {}
