/** What the thread rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CategoryUnknown } from "../category/Category.ts"
import type { LinkAddress } from "../link/Link.ts"
import type { Actor } from "../shared/Actor.ts"
import type { AccountId, CategoryId, PostId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { PostText } from "./PostText.ts"
import type { Thread, ThreadReference } from "./Thread.ts"
import type { Target, VisibilityFilter } from "./ThreadRules.ts"

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

/** Absent keys stay as they are. */
export interface ThreadUpdate {
  readonly title?: string
  readonly text?: PostText
  readonly category?: CategoryId
  readonly tags?: ReadonlyArray<string>
  readonly visibility?: Visibility
  readonly pinned?: number
  readonly link?: LinkAddress
  readonly meta?: JsonObject
}

export interface ThreadFilter {
  readonly listing: VisibilityFilter
  readonly viewer: Actor
  readonly page: number
  readonly ignorePinned: boolean
  readonly text: string | undefined
  /** Handle or id. */
  readonly author: string | undefined
  readonly tags: ReadonlyArray<string>
  /** Slugs; `null` means threads without a category; empty, any. */
  readonly categories: ReadonlyArray<string> | null
}

export interface ThreadPageRequest {
  readonly id: string
  readonly page: number
  readonly viewer: Actor
  /** The validator the caller already has; nothing is read for an answer that it still fits. */
  readonly known: string | undefined
}

/** A page of a thread as its viewer sees it, or only that it has not changed. */
export interface ThreadPage extends Target {
  readonly tag: string
  readonly thread: Thread | undefined
}

export class ThreadStore extends Context.Service<
  ThreadStore,
  {
    readonly insert: (thread: ThreadInsert) => Effect.Effect<void, CategoryUnknown>
    /** The thread unless it is deleted, held against other writers until the transaction ends. */
    readonly lock: (id: string) => Effect.Effect<Option.Option<Target & { readonly id: PostId }>>
    readonly update: (
      id: PostId,
      changes: ThreadUpdate,
      at: DateTime.Utc
    ) => Effect.Effect<void, CategoryUnknown>
    /** Deletes the thread and with it its replies. */
    readonly delete: (id: PostId, at: DateTime.Utc) => Effect.Effect<void>
    readonly page: (request: ThreadPageRequest) => Effect.Effect<Option.Option<ThreadPage>>
    /** A page of the list, or none if the filter names an author whom nobody is. */
    readonly list: (
      filter: ThreadFilter
    ) => Effect.Effect<
      Option.Option<{ readonly total: number; readonly threads: ReadonlyArray<ThreadReference> }>
    >
    /** Notes that the account has read the thread up to now; of an unknown thread nothing is noted. */
    readonly markRead: (accountId: AccountId, id: string, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/ThreadStore") {}

/** Replies on a page, and threads on a page of a list. */
export const pageSize = 50
