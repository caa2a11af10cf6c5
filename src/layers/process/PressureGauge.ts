/** Measures how hard-pressed the process is: how long its event loop lets others wait, and how full its heap is. */
import {
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance
} from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Context, Effect, Layer, Metric } from "effect"
import type { Pressure } from "../../http/contract/Cost.ts"
import { CurrentPressure } from "../../http/pipeline/Admission.ts"
import { Settings } from "./Settings.ts"

/** What a measurement found. */
export interface Measured {
  /** The part of the time since the measurement before in which the event loop was at work, from 0 to 1. */
  readonly utilization: number
  /** How late work made timers since the measurement before, on average, in milliseconds. */
  readonly delay: number
  /** The part of the largest possible heap that is in use, from 0 to 1. */
  readonly heap: number
}

/** The measurements at which the pressure begins to be high, and to be extreme. */
export interface Marks {
  readonly high: Pick<Measured, "delay" | "heap">
  readonly extreme: Pick<Measured, "delay" | "heap">
}

// Below this utilization, timers are late because other processes have the processor.
const busyFrom = 0.8

const exceeds = ({ delay, heap, utilization }: Measured, mark: Marks["high"]) =>
  (utilization >= busyFrom && delay >= mark.delay) || heap >= mark.heap

export const decidePressure = (measured: Measured, { extreme, high }: Marks): Pressure => {
  if (exceeds(measured, extreme)) return "extreme"
  return exceeds(measured, high) ? "high" : "none"
}

/**
 * The marks for settings: pressure is high from these on, and extreme from three times the delay, or with half of the
 * rest of the heap in use.
 */
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
const utilizations = Metric.gauge("event_loop_utilization_ratio", {
  description: "The part of the last half second in which the event loop was at work"
})
const heaps = Metric.gauge("heap_used_ratio", {
  description: "The part of the largest possible heap that is in use"
})

/** How late timers are, and which part of that is a pause of the garbage collector. */
const watchTimers = Effect.gen(function* () {
  const histogram = monitorEventLoopDelay({ resolution })
  let paused = 0
  // Shorter pauses are a part of what requests cost, and make hardly a timer late.
  const note = (entries: ReadonlyArray<PerformanceEntry>) => {
    for (const { duration } of entries) if (duration >= resolution) paused += duration
  }
  const collections = new PerformanceObserver((list) => note(list.getEntries()))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      histogram.enable()
      collections.observe({ entryTypes: ["gc"] })
    }),
    () =>
      Effect.sync(() => {
        histogram.disable()
        collections.disconnect()
      })
  )

  /**
   * How late timers were since the last call, on average in milliseconds: in all, and without pauses of the collector.
   */
  return () => {
    note(collections.takeRecords())
    const { count, mean } = histogram
    // Without a sample, the loop has not come to its timers at all or was never late.
    const late = count === 0 ? 0 : Math.max(0, mean / 1e6 - resolution)
    const byWork = count === 0 ? 0 : Math.max(0, late - paused / count)
    histogram.reset()
    paused = 0
    return { late, byWork } as const
  }
})

/** Answers the part of the time since the last call in which the event loop was at work. */
const watchLoop = () => {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/** The last measurement; none before the first. */
class Gauge extends Context.Service<Gauge, { pressure: Pressure }>()("forum/layers/PressureGauge") {}

/** Measures from now on: what the start of the process takes is not pressure by requests. */
export const measuring = Layer.effectDiscard(
  Effect.gen(function* () {
    const gauge = yield* Gauge
    const { shedDelayMilliseconds, shedHeapPercent } = yield* Settings
    const marks = marksOf(shedDelayMilliseconds, shedHeapPercent / 100)
    const lateness = yield* watchTimers
    const utilizationNow = watchLoop()

    const measure = Effect.suspend(() => {
      const { byWork, late } = lateness()
      const { heap_size_limit, used_heap_size } = getHeapStatistics()
      const measured = {
        utilization: utilizationNow(),
        delay: byWork,
        heap: used_heap_size / heap_size_limit
      }
      const now = decidePressure(measured, marks)
      const changed = now !== gauge.pressure
      gauge.pressure = now
      return Effect.all([
        Metric.update(delays, late / 1000),
        Metric.update(utilizations, measured.utilization),
        Metric.update(heaps, measured.heap),
        changed
          ? Effect.logWarning("Pressure has changed").pipe(
              Effect.annotateLogs({
                pressure: now,
                delay_ms: Math.round(measured.delay),
                utilization_percent: Math.round(measured.utilization * 100),
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
