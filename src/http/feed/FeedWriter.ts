/** What a format of feeds is: how an entry is written, and how a feed of written entries. */
import type { FeedEntry, FeedHead } from "../../domain/feed/Feed.ts"

/** Where a feed is and how old it is. */
export interface FeedFacts extends FeedHead {
  /** The address of the feed itself. */
  readonly self: string
  readonly updatedAt: string
}

export interface FeedWriter {
  readonly contentType: string
  readonly entry: (entry: FeedEntry) => string
  readonly feed: (facts: FeedFacts, entries: ReadonlyArray<string>) => string
}
