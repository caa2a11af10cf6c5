/** Makes backups at intervals, as long as it runs. What is due is told by the newest backup that is there. */
import { type Cause, Clock, Effect, Metric } from "effect"
import { dueAt, type NamedBackup, newestOf, pauseAfter } from "./BackupNames.ts"

export const lastMade = Metric.gauge("backup_last_timestamp_seconds", {
  description: "When the newest backup of BACKUP_DIR was begun"
})
export const failuresInARow = Metric.gauge("backup_failures", {
  description: "How often a scheduled backup has failed since one was made"
})

export interface Schedule<E, R> {
  /** In milliseconds. */
  readonly every: number
  /** The backups that there are. */
  readonly list: Effect.Effect<ReadonlyArray<NamedBackup>, unknown>
  /** Makes a backup, unless another instance makes one or has made it meanwhile. */
  readonly make: Effect.Effect<void, E, R>
  /** Tells why there is no backup. It is tried again. */
  readonly report: (cause: Cause.Cause<unknown>) => Effect.Effect<void, never, R>
}

// Somebody may have removed the newest backup, or another instance may be making one.
const lookAgain = { usual: 600_000, whileAnother: 60_000 }

/** Follows a schedule, and never ends. */
export const followSchedule = <E, R>({
  every,
  list,
  make,
  report
}: Schedule<E, R>): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    let failures = 0

    const tellFailures = Effect.suspend(() => Metric.update(failuresInARow, failures))

    /** How long it is until the next backup is due. */
    const look = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const newest = newestOf(yield* list, now)
      if (newest !== undefined) yield* Metric.update(lastMade, newest.at / 1000)
      return dueAt(newest, every, now) - now
    })

    /** Makes a backup if it is due, and answers how long to wait then. */
    const round = Effect.gen(function* () {
      const wait = yield* look
      if (wait > 0) return Math.min(wait, lookAgain.usual)
      yield* make
      failures = 0
      yield* tellFailures
      return (yield* look) > 0 ? 0 : lookAgain.whileAnother
    })

    const failed = (cause: Cause.Cause<unknown>) =>
      Effect.gen(function* () {
        failures += 1
        yield* tellFailures
        yield* report(cause)
        return pauseAfter(failures, every)
      })

    return Effect.andThen(
      tellFailures,
      Effect.forever(Effect.flatMap(Effect.catchCause(round, failed), Effect.sleep))
    )
  })
