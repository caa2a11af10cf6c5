/** A small pool of threads that sanitise texts. They start when they are needed and end when they are not. */

import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Data, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { makeFairQueue } from "../../../domain/queue/FairQueue.ts"
import type { ExceededLimit, SanitisedText } from "../../../domain/text/richtext/Sanitise.ts"
import { SanitiserThreads } from "../../../domain/text/Sanitiser.ts"
import { SanitiserUnavailable } from "../../../domain/text/TextProblem.ts"
import { RequestContext } from "../../../http/pipeline/RequestContext.ts"

/** The program and the queue of the pool; a test may have others. */
export const SanitiserThreadSettings = Context.Reference("forum/layers/SanitiserThreadSettings", {
  defaultValue: () => ({
    /** The program that a thread runs. */
    program: new URL("./thread.ts", import.meta.url),
    threads: Math.min(2, availableParallelism()),
    /**
     * How many texts may wait for a thread, each in a line of its client: all that two clients can write at a time.
     * Each takes at most about 60 ms.
     */
    waiting: 64
  })
})

// Far longer than any text takes within its budget.
const longest = "10 seconds"

// A thread that has sanitised long texts holds tens of megabytes; to start one takes about as long as such a text.
const idleFor = "10 seconds"

// A thread needs no environment, and none of the arguments of the service.
const options = { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256 } }

/** A thread ended before it answered. */
class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly cause?: unknown }> {}

type Result = SanitisedText | ExceededLimit

const ask = (thread: Worker, input: string): Effect.Effect<Result, ThreadEnded> =>
  Effect.callback<Result, ThreadEnded>((resume) => {
    let cause: unknown
    const onError = (error: unknown) => {
      cause = error
    }
    const stopListening = () => {
      thread.off("message", onMessage).off("error", onError).off("exit", onExit)
    }
    const onMessage = (result: Result) => {
      stopListening()
      resume(Effect.succeed(result))
    }
    const onExit = () => {
      stopListening()
      resume(Effect.fail(new ThreadEnded({ cause })))
    }
    thread.on("message", onMessage).on("error", onError).on("exit", onExit)
    thread.postMessage(input)
    return Effect.sync(stopListening)
  })

/**
 * The bounds of the queue for threads. One client leaves a thread to others, if there are several; how many texts it
 * may let wait depends on the others only.
 */
const boundsOf = (threads: number, waiting: number) => ({
  running: threads,
  runningPerClient: Math.max(1, threads - 1),
  waiting,
  perClient: threads + waiting
})

const unavailable = (reason: "busy" | "ended") =>
  new SanitiserUnavailable({ metadata: { reason, retry_after: 2 } })

const make = Effect.gen(function* () {
  const { program, threads, waiting } = yield* SanitiserThreadSettings
  const queue = makeFairQueue(boundsOf(threads, waiting))
  const living = new Set<Worker>()
  let idle: Array<Worker> = []
  /** Threads that were idle when `endUnused` ran last, and have done nothing since. */
  let unused = new Set<Worker>()
  const anyIdle = Latch.makeUnsafe(false)
  let isClosed = false

  const end = (thread: Worker) => Effect.promise(() => thread.terminate())

  yield* Effect.addFinalizer(() => {
    isClosed = true
    return Effect.forEach(living, end, { concurrency: "unbounded", discard: true })
  })

  const endUnused = Effect.suspend(() => {
    const leaving = idle.filter((thread) => unused.has(thread))
    idle = idle.filter((thread) => !unused.has(thread))
    unused = new Set(idle)
    if (idle.length === 0) anyIdle.closeUnsafe()
    return Effect.forEach(leaving, end, { concurrency: "unbounded", discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(anyIdle.await, Effect.delay(endUnused, idleFor))))

  const start = (): Worker => {
    const thread = new Worker(program, options)
    // A stop does not wait for threads.
    thread.unref()
    living.add(thread)
    // An error is followed by the exit.
    thread.on("error", () => {})
    thread.once("exit", () => {
      living.delete(thread)
      idle = idle.filter((other) => other !== thread)
    })
    return thread
  }

  const keep = (thread: Worker) => {
    idle.push(thread)
    anyIdle.openUnsafe()
  }

  /** A thread that failed, or was too slow, is not used again; another one starts in its place. */
  const release = (thread: Worker, exit: Exit.Exit<unknown, unknown>) =>
    Exit.isSuccess(exit) ? Effect.sync(() => keep(thread)) : end(thread)

  const take = Effect.suspend(() => {
    if (isClosed) return Effect.fail(new ThreadEnded({}))
    const thread = idle.pop() ?? start()
    unused.delete(thread)
    return Effect.succeed(thread)
  })

  const run = (input: string) =>
    Effect.acquireUseRelease(take, (thread) => ask(thread, input), release).pipe(
      Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.fail(new ThreadEnded({})) }),
      Effect.tapError((error) => Effect.logError("A thread that sanitises texts ended", error)),
      Effect.mapError(() => unavailable("ended"))
    )

  const busy = () => Effect.fail(unavailable("busy"))

  const sanitise = (input: string): Effect.Effect<Result, SanitiserUnavailable> =>
    Effect.flatMap(RequestContext, ({ client }) => {
      let hasBegun = false
      const begin = Effect.suspend(() => {
        hasBegun = true
        return run(input)
      })
      const inTurn = queue.run(client.network, () => begin, busy)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.forkDetach(Effect.interruptible(inTurn), { startImmediately: true }), (fiber) =>
          // A text that has begun is finished even if its client goes: its thread would have to end.
          Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
            hasBegun ? Effect.void : Fiber.interrupt(fiber)
          )
        )
      )
    })

  return SanitiserThreads.of({ sanitise })
})

export const layer = Layer.effect(SanitiserThreads, make)
