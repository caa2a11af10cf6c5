/** What the thread rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CalendarStanding } from "../event/Standing.ts"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, CalendarEventId, CategoryId, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Visibility, VisibilityFilter } from "../shared/Visibility.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { OmittedThreadField } from "./PostOmission.ts"
import type { PostText } from "./PostText.ts"
import type {
  Collected,
  Liked,
  ReplyPlace,
  ReplySelection,
  ThreadPageContent,
  ThreadReferenceContent
} from "./ThreadContent.ts"
import type { ListedSummary, ThreadSummary } from "./ThreadSummary.ts"

export interface ThreadInsert {
  readonly id: PostId
  readonly at: DateTime.Utc
  readonly authorId: AccountId
  readonly title: string
  readonly slug: string
  readonly text: PostText
  readonly category: CategoryId | undefined
  readonly tags: ReadonlyArray<string>
  readonly visibility: Visibility
  readonly pinned: number
  readonly link: LinkAddress | undefined
  readonly meta: JsonObject
}

/** A change of a thread: what is absent stays as it is. */
export interface ThreadUpdate {
  readonly title?: string
  /** Changes with the first title only. */
  readonly slug?: string
  readonly text?: PostText
  readonly category?: CategoryId
  readonly tags?: ReadonlyArray<string>
  readonly visibility?: Visibility
  readonly pinned?: number
  /** The link that the thread is about; null takes it away. */
  readonly link?: LinkAddress | null
  readonly meta?: JsonObject
}

export interface ThreadListFilter {
  readonly filter: VisibilityFilter
  readonly viewer: AccountId | undefined
  readonly place: ListPlace
  readonly ignorePinned: boolean
  /** The text to look for, in the form of `searchForm`; if absent, text does not matter. */
  readonly text: string | undefined
  readonly author: AccountId | undefined
  /** Ids of tags: each listed thread has one of these tags. If empty, tags do not matter. */
  readonly tags: ReadonlyArray<string>
  /** Slugs of categories; null lists threads without a category. If empty, categories do not matter. */
  readonly categories: ReadonlyArray<string> | null
}

/** Which threads to find for a guest. */
export type NewestThreads = Pick<ThreadListFilter, "author" | "categories" | "filter" | "tags">

export interface ThreadListPage extends ListExtent {
  readonly threads: ReadonlyArray<ListedSummary>
}

export interface WantedThread {
  readonly summary: ListedSummary
  readonly parts: number
}

/** The event of the calendar that was deleted with its thread, as it was. */
export interface DeletedCalendarEvent {
  readonly id: CalendarEventId
  readonly standing: CalendarStanding
}

export class ThreadStore extends Context.Service<
  ThreadStore,
  {
    readonly insert: (thread: ThreadInsert) => Effect.Effect<void>
    /** The thread must be locked by `PostStore.findForUpdate`. */
    readonly update: (id: PostId, changes: ThreadUpdate, at: DateTime.Utc) => Effect.Effect<void>
    /** The title and the slug of a thread that is locked. */
    readonly findHeading: (id: PostId) => Effect.Effect<{ readonly title: string; readonly slug: string }>
    /**
     * Deletes the thread and with it its replies, and the event of the calendar that it belongs to, which it answers if
     * there is one. The thread must be locked.
     */
    readonly delete: (id: PostId, at: DateTime.Utc) => Effect.Effect<DeletedCalendarEvent | undefined>
    readonly findSummary: (
      id: PostId,
      viewer: AccountId | undefined
    ) => Effect.Effect<Option.Option<ThreadSummary>>
    /** What `findSummary` finds, for a caller that is not yet known. */
    readonly summary: (id: PostId) => AskedWithCaller<Option.Option<ThreadSummary>>
    /** A page as of now, or later than the summary: never older. None if the thread is gone. */
    readonly findPage: (
      summary: ThreadSummary,
      place: ReplyPlace,
      replies: ReplySelection
    ) => Effect.Effect<Option.Option<ThreadPageContent>>
    /**
     * A page of threads. In a walk by cursors, threads are where they were when its first page was read, so that each
     * that exists throughout is on one page. A search by text ends when it has taken `searchSeconds`, and so does a page
     * of a walk in which very many threads have been active since it began.
     */
    readonly list: (filter: ThreadListFilter) => Effect.Effect<ThreadListPage, SearchTookTooLong>
    /** The threads of a list that were active last, as many as a page has of small ones, however large they are. */
    readonly newest: (wanted: NewestThreads) => Effect.Effect<ReadonlyArray<ListedSummary>>
    /** Undeleted threads by id, whoever may read them, in no order. */
    readonly findHeads: (
      ids: ReadonlyArray<PostId>,
      viewer: AccountId | undefined
    ) => Effect.Effect<ReadonlyArray<ListedSummary>>
    /** What lists show of these threads, as far as the threads are still there, in no order. */
    readonly references: (
      threads: ReadonlyArray<ListedSummary>
    ) => Effect.Effect<ReadonlyArray<ThreadReferenceContent>>
    /** Threads that are still there, each with so many of its parts, as `postPartNames` orders them, and the fields that it lacks. */
    readonly referencesInPart: (wanted: ReadonlyArray<WantedThread>) => Effect.Effect<
      ReadonlyArray<{
        readonly reference: ThreadReferenceContent
        readonly omitted: ReadonlyArray<OmittedThreadField>
      }>
    >
    /** Which of these posts the account likes. */
    readonly liked: (account: AccountId, posts: ReadonlyArray<PostId>) => Effect.Effect<Liked>
    /** Which of these threads are in collections of the account. */
    readonly collected: (account: AccountId, threads: ReadonlyArray<PostId>) => Effect.Effect<Collected>
    /** Notes that the account has read the thread up to now; of an unknown thread nothing is noted. */
    readonly markRead: (accountId: AccountId, id: string, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/ThreadStore") {}
