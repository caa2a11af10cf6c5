import { Deferred, Effect } from "effect"

/**
 * One read for all who ask at the same time. Each gets an answer of a read that began after they asked: those
 * who ask during one read wait for the next. For reads that need nothing of their caller.
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

  return Effect.suspend(() => {
    next ??= Deferred.makeUnsafe<A, E>()
    const answer = Deferred.await(next)
    // Detached: the read is for all who wait, also if the first of them goes away.
    return isReading ? answer : Effect.andThen(Effect.forkDetach(readAll, { startImmediately: true }), answer)
  })
}
