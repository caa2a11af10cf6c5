/** Feeds: the newest of what guests may read, for programs that follow a forum. */
import { type Effect, Schema } from "effect"
import { room } from "../answer/AnswerRoom.ts"
import type { Timestamp } from "../field/Resource.ts"

/** Entries of a feed. */
export const entriesMax = 50

/** Bytes that the entries of a feed take with their contents; those for which there is no room have a summary alone. */
export const contentsMax = room

export const FeedFormat = Schema.Literals(["atom", "rss", "json"]).annotate({
  description:
    "`atom`: Atom (RFC 4287). `rss`: RSS 2.0. `json`: JSON Feed 1.1. All three have the same entries."
})
export type FeedFormat = typeof FeedFormat.Type

/** Who wrote an entry. */
export interface FeedAuthor {
  readonly name: string
  /** The web page about them. */
  readonly address: string
  readonly avatar: string
}

/** One thing that a feed tells of. */
export interface FeedEntry {
  /** A name that stays the same as long as the entry exists, whatever becomes of its address. */
  readonly name: string
  readonly title: string
  /** The web page that shows it. */
  readonly address: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly author: FeedAuthor
  /** The beginning of the content as plain text; may be empty. */
  readonly summary: string
  /** HTML in which every address is absolute; undefined where there is no room for it. */
  readonly content: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly image: string | undefined
}

/** What a feed says of itself. */
export interface FeedHead {
  /** A name that stays the same, whatever becomes of its address. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The web page that shows the same to people. */
  readonly address: string
}

export interface Feed extends FeedHead {
  /** The newest first. */
  readonly entries: ReadonlyArray<FeedEntry>
}

/** A feed that may be read, and all that decides what is in it. */
export interface FeedView<E> {
  /** Texts of which one changes whenever anything does that the feed shows. */
  readonly version: ReadonlyArray<string>
  readonly feed: Effect.Effect<Feed, E>
}
