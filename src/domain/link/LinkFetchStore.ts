/** Which pages are to be read: a queue that outlives the process, one entry a link. */
import { Context, type DateTime, type Effect, Layer, Queue } from "effect"
import type { LinkId, NodeId, PostId } from "../shared/Id.ts"

/** An entry that one worker has taken. */
export interface TakenFetch {
  readonly linkId: LinkId
  readonly url: string
  /** The host of the page: how many pages of one host are fetched at a time is limited. */
  readonly host: string
  /** How often the fetch has been tried, this try included. */
  readonly tries: number
}

/** What is known of a fetch, after some tries or none. */
export interface FetchState {
  /** When the page is to be fetched next; absent if fetching it is over. */
  readonly dueAt: DateTime.Utc | undefined
  readonly tries: number
  /** Why the last try did not read a page. */
  readonly reason: string | undefined
}

export class LinkFetchStore extends Context.Service<
  LinkFetchStore,
  {
    /** Lets the page of a link be in this state, unless it waits already or was read within the period. */
    readonly enqueue: (link: LinkId, state: FetchState, at: DateTime.Utc) => Effect.Effect<void>
    /** Enqueues what posts link to, due now, by the rule of `enqueue`: the first `fetchedOfText` links of each text. */
    readonly enqueueOfPosts: (posts: ReadonlyArray<PostId>, at: DateTime.Utc) => Effect.Effect<void>
    /** Enqueues what nodes are about, and what they link to, due now, as `enqueueOfPosts` does for posts. */
    readonly enqueueOfNodes: (nodes: ReadonlyArray<NodeId>, at: DateTime.Utc) => Effect.Effect<void>
    /**
     * Takes what has been due for the longest time, but for these hosts, and counts the try. Unless it is finished
     * before, it is due again at `until`: whoever took it may have ended.
     */
    readonly take: (
      at: DateTime.Utc,
      until: DateTime.Utc,
      butHosts: ReadonlyArray<string>
    ) => Effect.Effect<TakenFetch | undefined>
    /** Notes how a try ended, unless another one has begun since. */
    readonly finish: (
      fetch: TakenFetch,
      state: Omit<FetchState, "tries">,
      at: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("forum/domain/LinkFetchStore") {}

/** Links of one text whose pages are read; nobody looks at the previews of more. */
export const fetchedOfText = 20

/** Wakes this process's worker when there may be something to fetch. */
export class LinkFetchSignal extends Context.Service<LinkFetchSignal, Queue.Queue<void>>()(
  "forum/domain/LinkFetchSignal"
) {
  // One waiting signal is as good as many.
  static readonly layer = Layer.effect(LinkFetchSignal, Queue.sliding<void>(1))
}
