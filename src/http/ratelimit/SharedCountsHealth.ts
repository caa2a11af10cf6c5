/** Keeps metrics of whether Redis, in which instances count together, answers. */
import { Effect, Metric } from "effect"
import type { SharedCountsShape } from "./SharedCounts.ts"

const up = Metric.gauge("redis_up", {
  description: "Whether Redis answered when it was asked last: 1, or 0. Absent where none is set"
})
const failures = Metric.counter("redis_failures_total", {
  description: "Requests to Redis that failed or were not answered within a second",
  incremental: true
})

const failed = Effect.andThen(Metric.update(up, 0), Metric.update(failures, 1))

/** Wraps shared counts so that metrics show each answer and each failure. */
export const observed = ({ check, exchange }: SharedCountsShape): SharedCountsShape => {
  const told = <A, E>(asked: Effect.Effect<A, E>) =>
    Effect.tapError(
      Effect.tap(asked, () => Metric.update(up, 1)),
      () => failed
    )
  return { check: told(check), exchange: (counted) => told(exchange(counted)) }
}

/** How often Redis is asked whether it answers, beside what is counted: there may be nothing to count. */
const every = "10 seconds"

export const watch = ({ check }: SharedCountsShape) =>
  Effect.forever(Effect.andThen(Effect.ignore(check), Effect.sleep(every)))
