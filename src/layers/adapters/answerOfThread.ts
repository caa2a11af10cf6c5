/** Work that would hold up all requests, done on a thread that ends with it. */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"

// Nothing that is asked for takes more than some seconds, and longer on a machine with other work.
const longest = "60 seconds"

/** What a program answers that is given an order. `done` says what it does, for the failure of one that ends before. */
export const answerOfThread = <A>(program: URL, order: object, done: string): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    // A thread needs no environment, and none of the arguments of the service.
    const thread = new Worker(program, { workerData: order, env: {}, execArgv: [] })
    // A stop does not wait for it.
    thread.unref()
    thread.on("message", (answer: A) => resume(Effect.succeed(answer)))
    thread.on("error", (error) => resume(Effect.die(error)))
    thread.on("exit", () => resume(Effect.die(new Error(`The thread ended before it had ${done}`))))
    return Effect.promise(() => thread.terminate())
  }).pipe(Effect.timeout(longest), Effect.orDie)
