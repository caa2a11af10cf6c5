/** What is still to be removed of accounts: a queue that outlives the process, an entry for each account and kind of content. */
import { Context, type DateTime, type Effect, Layer, Queue } from "effect"
import type { AccountId, CollectionId, Id, NodeId, PostId } from "../shared/Id.ts"
import type { PurgedContent } from "../vocabulary/Kinds.ts"

/** Kinds of content of which there may be very much. */
export type QueuedContent = Exclude<PurgedContent, "profile_bio">

export interface NewPurge {
  readonly accountId: AccountId
  /** Who asks for it; absent if the service does. */
  readonly enactedBy: AccountId | undefined
  readonly contents: ReadonlyArray<QueuedContent>
  readonly at: DateTime.Utc
}

/** An entry that somebody works on. */
export interface TakenPurge {
  readonly accountId: AccountId
  readonly content: QueuedContent
  /** Who asked for the purge; absent if that account is gone. */
  readonly enactedBy: AccountId | undefined
  /** What the account made later stays. */
  readonly requestedAt: DateTime.Utc
  /** How often it has been taken. */
  readonly tries: number
  /** A number that differs each time somebody takes the entry or asks for it again. */
  readonly turn: number
}

/** Whose content to look for: what was made until a time, except for some items. */
export interface PurgeSearch {
  readonly accountId: AccountId
  readonly until: DateTime.Utc
  readonly but: ReadonlyArray<string>
}

type Next<Item> = (search: PurgeSearch) => Effect.Effect<ReadonlyArray<Item>>

export class PurgeStore extends Context.Service<
  PurgeStore,
  {
    /** Adds entries, which whoever adds them works on until then. One that there is already begins anew. */
    readonly request: (purge: NewPurge, until: DateTime.Utc) => Effect.Effect<ReadonlyArray<TakenPurge>>
    /** Takes what has been due for the longest time. Unless it is kept or released, it is due again at `until`. */
    readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<TakenPurge | undefined>
    /** Goes on to work on an entry; answers whether nobody else does by now. */
    readonly keep: (purge: TakenPurge, until: DateTime.Utc) => Effect.Effect<boolean>
    /** Leaves an entry to whoever takes it when it is due, unless somebody has taken it. */
    readonly release: (purge: TakenPurge, dueAt: DateTime.Utc) => Effect.Effect<void>
    /** Removes an entry, unless somebody has taken it or asked for it again. */
    readonly finish: (purge: TakenPurge) => Effect.Effect<void>
    /** Whether something of an account is still to be removed. */
    readonly isQueued: (account: AccountId) => Effect.Effect<boolean>

    readonly threads: Next<PostId>
    readonly replies: Next<PostId>
    readonly reacts: Next<{ readonly id: typeof Id.Type; readonly postId: PostId; readonly threadId: PostId }>
    readonly likes: Next<{ readonly postId: PostId; readonly threadId: PostId }>
    readonly nodes: Next<NodeId>
    readonly collections: Next<CollectionId>
  }
>()("forum/domain/PurgeStore") {}

/** Wakes this process's worker when there may be something to remove. */
export class PurgeSignal extends Context.Service<PurgeSignal, Queue.Queue<void>>()(
  "forum/domain/PurgeSignal"
) {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(PurgeSignal, Queue.sliding<void>(1))
}
