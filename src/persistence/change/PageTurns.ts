/** Who reads pages of the log of changes, and in which order. */
import { Effect } from "effect"
import { type Bounds, makeFairQueue } from "../../domain/queue/FairQueue.ts"
import type { ClientNetwork } from "../../domain/shared/Client.ts"

/**
 * How many pages are read at the same time, and of one network. A full one takes tens of milliseconds of the processor and
 * of a connection for short reads, which others need meanwhile. Who waits for one is a request, of which a
 * network may have so many (`Cost.ts`), or has a place among streams.
 */
export const pagesAtOnce: Bounds = {
  running: 2,
  runningPerClient: 1,
  waiting: Number.POSITIVE_INFINITY,
  perClient: Number.POSITIVE_INFINITY
}

/** Makes what reads a page for a network when it is its turn. */
export const makePageTurns = () => {
  const queue = makeFairQueue(pagesAtOnce)
  return <A, E, R>(network: ClientNetwork, page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    queue.run(
      network,
      () => page,
      () => Effect.die(new Error("Everybody may wait for a page"))
    )
}
