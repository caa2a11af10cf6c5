/** Lets changes of one thread or post wait for each other. */
import { Effect } from "effect"
import { threadMark } from "../shared/Mark.ts"
import { WriteQueue } from "../storage/Transaction.ts"

/** Runs a write in the queue of what its mark names; a mark that names nothing has none. */
export const makeQueuedByThread = Effect.map(
  WriteQueue,
  (queue) =>
    <A, E, R>(mark: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const id = threadMark(mark)
      return id === undefined ? write : queue(id, write)
    }
)
