/** What the rules of tags need from storage. */
import { Context, type Effect, type Option } from "effect"
import type { NodeId, PostId, TagId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { TagReference } from "../vocabulary/Tag.ts"

export interface TagPage extends ListExtent {
  readonly tags: ReadonlyArray<TagReference>
}

export interface StoredTag extends TagReference {
  readonly id: TagId
}

export class TagStore extends Context.Service<
  TagStore,
  {
    /** A page of all tags, those of most content first, then by name. */
    readonly list: (place: ListPlace) => Effect.Effect<TagPage>
    /** A page of the tags whose names contain a text. */
    readonly search: (text: string, place: ListPlace) => Effect.Effect<TagPage, SearchTookTooLong>
    readonly findByName: (name: string) => Effect.Effect<Option.Option<StoredTag>>
    /** Among the newest `recentMax` published threads with a tag, the `itemsMax` that were active last. */
    readonly recentThreads: (id: TagId) => Effect.Effect<ReadonlyArray<PostId>>
    /** The newest `itemsMax` published nodes with a tag, newest first. */
    readonly recentNodes: (id: TagId) => Effect.Effect<ReadonlyArray<NodeId>>
  }
>()("forum/domain/TagStore") {}

/** Tags on a page. */
export const pageSize = 50
