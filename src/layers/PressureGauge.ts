/** Measures how hard-pressed the process is: how late its event loop is, and how full its heap. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Context, Effect, Layer, Metric } from "effect"
import { CurrentPressure } from "../http/shared/Admission.ts"
import type { Pressure } from "../http/shared/Cost.ts"
import { Settings } from "./Settings.ts"

/** What a measurement found. */
export interface Measured {
  /** By how much timers were late since the measurement before, on average, in milliseconds. */
  readonly delay: number
  /** The part of the largest possible heap that is in use, from 0 to 1. */
  readonly heap: number
}

/** From where on the pressure is high, and from where on it is extreme. */
export interface Marks {
  readonly high: Measured
  readonly extreme: Measured
}

const exceeds = (measured: Measured, mark: Measured) =>
  measured.delay >= mark.delay || measured.heap >= mark.heap

export const decidePressure = (measured: Measured, { extreme, high }: Marks): Pressure => {
  if (exceeds(measured, extreme)) return "extreme"
  return exceeds(measured, high) ? "high" : "none"
}

/** Extreme is three times the delay, and half of what is left of the heap. */
export const marksOf = (delay: number, heap: number): Marks => ({
  high: { delay, heap },
  extreme: { delay: delay * 3, heap: (1 + heap) / 2 }
})

// Timers of this period are watched. Shorter ones cost more, and longer ones see less.
const resolution = 20

const interval = "500 millis"

const delays = Metric.gauge("event_loop_delay_seconds", {
  description: "By how much timers are late, on average over half a second"
})
const heaps = Metric.gauge("heap_used_ratio", {
  description: "The part of the largest possible heap that is in use"
})

/** The last measurement; none before the first. */
class Gauge extends Context.Service<Gauge, { pressure: Pressure }>()("forum/layers/PressureGauge") {}

/** Measures from now on: what the start of the process takes is not pressure by requests. */
export const measuring = Layer.effectDiscard(
  Effect.gen(function* () {
    const gauge = yield* Gauge
    const { shedDelayMilliseconds, shedHeapPercent } = yield* Settings
    const marks = marksOf(shedDelayMilliseconds, shedHeapPercent / 100)
    const histogram = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )

    const measure = Effect.suspend(() => {
      // Without a sample, the loop has not come to its timers at all or was never late.
      const mean = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6
      histogram.reset()
      const { heap_size_limit, used_heap_size } = getHeapStatistics()
      const measured = { delay: Math.max(0, mean - resolution), heap: used_heap_size / heap_size_limit }
      const now = decidePressure(measured, marks)
      const changed = now !== gauge.pressure
      gauge.pressure = now
      return Effect.all([
        Metric.update(delays, measured.delay / 1000),
        Metric.update(heaps, measured.heap),
        changed
          ? Effect.logWarning("Pressure has changed").pipe(
              Effect.annotateLogs({
                pressure: now,
                delay_ms: Math.round(measured.delay),
                heap_percent: Math.round(measured.heap * 100)
              })
            )
          : Effect.void
      ])
    })

    yield* Effect.forkScoped(Effect.forever(Effect.delay(measure, interval)))
  })
)

export const layer = Layer.effect(
  CurrentPressure,
  Effect.map(Gauge, (gauge) => () => gauge.pressure)
).pipe(Layer.provideMerge(Layer.sync(Gauge, () => ({ pressure: "none" as const }))))
