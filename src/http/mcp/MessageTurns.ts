/**
 * How many messages are answered at the same time. The library takes milliseconds of the process for each, and tens for
 * one of 256 KiB or for the list of tools. In a queue of its own: in a lane of the API, requests would wait for
 * their turn among all networks from which agents send.
 */
import { Context, Effect } from "effect"
import { type Bounds, makeFairQueue } from "../../domain/queue/FairQueue.ts"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import type { ServiceBusy } from "../contract/RequestProblems.ts"
import { busy } from "../pipeline/Admission.ts"

/** How many messages a process answers at the same time, and how many wait; clients are networks. */
export const messageTurns: Bounds = { running: 2, runningPerClient: 1, waiting: 64, perClient: 36 }

/** The bounds of this process; the declared ones unless a test narrows them. */
export const MessageTurns = Context.Reference<Bounds>("forum/http/MessageTurns", {
  defaultValue: () => messageTurns
})

/** Makes a function that answers a message of a client when it is its turn. */
export const makeTurns = Effect.map(MessageTurns, (bounds) => {
  const queue = makeFairQueue(bounds)
  return <A, E, R>(
    client: ClientNetwork,
    answer: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServiceBusy, R> =>
    // Bodies that have arrived are read one after the other without a look at connections: so would all be answered.
    queue.run(
      client,
      () => Effect.andThen(Effect.yieldNow, answer),
      () => Effect.fail(busy())
    )
})
