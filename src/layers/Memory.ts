/**
 * Gives memory back to the system. V8 keeps the pages of what it has collected, and the allocator of the C
 * library keeps what was freed between parts that are in use: after a peak, the process would stay twice as
 * large as it needs to be.
 */
import { performance } from "node:perf_hooks"
import { Context, Effect, Layer, Schedule } from "effect"

const interval = "10 seconds"

// Parts of the time in which the event loop was at work.
const busyFrom = 0.2
const quietBelow = 0.05

export type Step = "nothing" | "trim" | "collect and trim"

/**
 * What to do after an interval with this utilization of the event loop. Collecting stops all requests for a
 * tenth of a second, so it happens once after each time that the service was busy, when it is quiet again.
 */
export const decideStep = (
  wasBusy: boolean,
  utilization: number
): { readonly step: Step; readonly wasBusy: boolean } => {
  if (utilization >= quietBelow) return { step: "trim", wasBusy: wasBusy || utilization >= busyFrom }
  return { step: wasBusy ? "collect and trim" : "nothing", wasBusy: false }
}

// The signature of `malloc_trim(3)`.
const trimming = { malloc_trim: { arguments: ["u64"], return: "i32" } } as const

/** The function of the GNU C library; nothing where there is another, or a Node that cannot call it. */
const openAllocator = () => {
  try {
    return process.getBuiltinModule("node:ffi")?.dlopen("libc.so.6", trimming).functions.malloc_trim
  } catch {
    return undefined
  }
}

/** The memory of this process. */
export class Memory extends Context.Service<
  Memory,
  {
    /** Part of the time since the last call in which the event loop was at work, from 0 to 1. */
    readonly utilization: Effect.Effect<number>
    /** Collects all garbage and gives up the pages that held it, if Node runs with `--expose-gc`: about 100 ms. */
    readonly collect: Effect.Effect<void>
    /** Gives up what the allocator has free: 1 to 8 ms. */
    readonly trim: Effect.Effect<void>
  }
>()("forum/layers/Memory") {
  static readonly layer = Layer.sync(Memory, () => {
    let last = performance.eventLoopUtilization()
    let allocator: ReturnType<typeof openAllocator> | "unopened" = "unopened"
    return Memory.of({
      utilization: Effect.sync(() => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, last)
        last = now
        return utilization
      }),
      collect: Effect.sync(() =>
        globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
      ),
      trim: Effect.sync(() => {
        // Opened late: Node warns that its interface to libraries is experimental.
        if (allocator === "unopened") allocator = openAllocator()
        allocator?.(0n)
      })
    })
  })

  /** Gives memory back as long as the service runs. */
  static readonly givenBack = Layer.effectDiscard(
    Effect.gen(function* () {
      const { collect, trim, utilization } = yield* Memory
      let busy = false
      const look = Effect.flatMap(utilization, (part) => {
        const { step, wasBusy } = decideStep(busy, part)
        busy = wasBusy
        if (step === "nothing") return Effect.void
        return step === "trim" ? trim : Effect.andThen(collect, trim)
      })
      yield* Effect.forkScoped(Effect.schedule(look, Schedule.spaced(interval)))
    })
  )
}
