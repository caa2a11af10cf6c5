/** What the rules of links need from storage. */

import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, AssetId, LinkId, NodeId, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { LinkReference } from "./Link.ts"
import type { LinkText } from "./LinkText.ts"

/** The readers of posts and of nodes as which somebody reads links; undefined where they may read none of these at all. */
export interface LinkReader {
  readonly posts: { readonly accountId: AccountId | undefined; readonly moderates: boolean } | undefined
  readonly library: { readonly accountId: AccountId | undefined; readonly manages: boolean } | undefined
}

/** Whether there is nothing but public links for a reader: a guest without the rights of staff. */
export const readsOnlyPublic = ({ library, posts }: LinkReader): boolean =>
  posts?.accountId === undefined &&
  library?.accountId === undefined &&
  posts?.moderates !== true &&
  library?.manages !== true

export interface LinkPage extends ListExtent {
  readonly links: ReadonlyArray<LinkReference>
}

/** Copies of the pictures of a page, as far as there are any. */
export interface LinkPictures {
  readonly favicon: AssetId | undefined
  readonly primaryImage: AssetId | undefined
}

/** Links on a page. */
export const pageSize = 50

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** Whether there is a link at this address, for this reader. */
    readonly exists: (address: LinkAddress, reader: LinkReader) => Effect.Effect<boolean>
    readonly find: (id: LinkId) => Effect.Effect<Option.Option<LinkReference>>
    /** The link with this slug, if the reader may read it. */
    readonly findBySlug: (slug: string, reader: LinkReader) => Effect.Effect<Option.Option<LinkReference>>
    /**
     * Makes the link at an address public, which becomes one if it is none; within a transaction. One that this reader
     * did not see before is like a new one. Answers what it says of its page; it stays locked until the transaction ends.
     */
    readonly add: (
      address: LinkAddress,
      reader: LinkReader,
      at: DateTime.Utc
    ) => Effect.Effect<{ readonly id: LinkId; readonly text: LinkText }>
    /**
     * The links at these addresses, which become some if they are none, in their order; within a transaction, which
     * resolves all of its addresses at once.
     */
    readonly resolveAll: (
      addresses: ReadonlyArray<LinkAddress>,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<LinkId>>
    /** Makes these, and no others, the links in the content of a node, which must be locked. */
    readonly setNodeLinks: (node: NodeId, links: ReadonlyArray<LinkId>) => Effect.Effect<void>
    /** What a link says of its page; it stays locked until the transaction ends. */
    readonly findTextForUpdate: (id: LinkId) => Effect.Effect<Option.Option<LinkText>>
    /** Copies of the pictures of a link's page. */
    readonly findPictures: (id: LinkId) => Effect.Effect<LinkPictures>
    /** Keeps copies of those pictures of which there are none. */
    readonly addPictures: (id: LinkId, pictures: LinkPictures, at: DateTime.Utc) => Effect.Effect<void>
    /** What the copies of pictures take that were made on this day (`2026-11-22`), in bytes as they count. */
    readonly findCopied: (day: string) => Effect.Effect<number>
    /** Counts a copy of so many bytes; within a transaction. */
    readonly countCopied: (bytes: number, day: string) => Effect.Effect<void>
    /** The link must be locked. */
    readonly setText: (id: LinkId, text: LinkText, at: DateTime.Utc) => Effect.Effect<void>
    /**
     * A page of the links that this reader may read, whose address, title or description contains a text in the form of
     * `searchForm`, or of all of them; newest first. A search ends when it has taken `searchSeconds`.
     */
    readonly list: (
      reader: LinkReader,
      text: string | undefined,
      place: ListPlace
    ) => Effect.Effect<LinkPage, SearchTookTooLong>
    /** The newest published threads about a link, newest first. */
    readonly threadsAbout: (id: LinkId) => Effect.Effect<ReadonlyArray<PostId>>
    /** The newest published nodes about a link, newest first. */
    readonly nodesAbout: (id: LinkId) => Effect.Effect<ReadonlyArray<NodeId>>
  }
>()("forum/domain/LinkStore") {}
