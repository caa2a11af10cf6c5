/** Which pages are to be read: a queue that outlives the process, one entry a link. */
import { Context, type DateTime, type Effect, Layer, Queue } from "effect"
import type { LinkId, NodeId, PostId } from "../shared/Id.ts"

/** An entry that one worker has taken. */
export interface TakenFetch {
  readonly linkId: LinkId
  readonly url: string
  /** Of how many fetches at a time there is a limit. */
  readonly host: string
  /** This one included. */
  readonly tries: number
}

/** What is known of a fetch, after some tries or none. */
export interface FetchState {
  /** When it is to be tried next; absent, it is over. */
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
    /** The same for what posts link to, as due now. Of each text, the first `fetchedOfText` links count. */
    readonly enqueueOfPosts: (posts: ReadonlyArray<PostId>, at: DateTime.Utc) => Effect.Effect<void>
    /** The same for what pages of the library are about, and link to. */
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
