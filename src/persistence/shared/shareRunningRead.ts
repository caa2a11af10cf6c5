import { Deferred, Effect } from "effect"
import { UnsettledReads } from "../../domain/storage/Transaction.ts"
import { CurrentReplica } from "./CurrentReplica.ts"
import { CurrentHeld } from "./HeldConnection.ts"

/**
 * One read for all who ask at the same time. Each gets an answer of a read that began after they asked: those
 * who ask during one read wait for the next. For reads that need nothing of their caller. Who has written what is not
 * yet committed reads alone.
 */
export const shareRunningRead = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let isReading = false
  let next: Deferred.Deferred<A, E> | undefined

  const readAll: Effect.Effect<void> = Effect.suspend(() => {
    const waiting = next
    next = undefined
    isReading = waiting !== undefined
    if (waiting === undefined) return Effect.void
    return Effect.flatMap(Effect.exit(read), (exit) => {
      Deferred.doneUnsafe(waiting, exit)
      return readAll
    })
  })

  return Effect.flatMap(UnsettledReads, ({ since }) => {
    if (since() !== undefined) return read
    next ??= Deferred.makeUnsafe<A, E>()
    const answer = Deferred.await(next)
    if (isReading) return answer
    // Detached: the read is for all who wait, also if the first of them goes away, begins to write, or reads what is older.
    const forAll = readAll.pipe(
      Effect.provideService(CurrentHeld, undefined),
      Effect.provideService(CurrentReplica, undefined)
    )
    return Effect.andThen(Effect.forkDetach(forAll, { startImmediately: true }), answer)
  })
}
