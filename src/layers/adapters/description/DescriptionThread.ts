/** Makes the texts that describe the API, each on a thread that ends when it is made. */
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import type { Contents } from "../../../http/bytes/CachedResponse.ts"
import { Descriptions, type Kind } from "../../../http/instance/Descriptions.ts"

/** What a thread is told to make. */
export interface Order {
  readonly kind: Kind
  readonly publicUrl: string
  readonly version: string
}

const program = new URL("./thread.ts", import.meta.url)

// It takes a second, and longer on a machine with other work.
const longest = "60 seconds"

const make = (order: Order) =>
  Effect.callback<Contents>((resume) => {
    // A thread needs no environment, and none of the arguments of the service.
    const thread = new Worker(program, { workerData: order, env: {}, execArgv: [] })
    // A stop does not wait for it.
    thread.unref()
    thread.on("message", (made: Contents) => resume(Effect.succeed(made)))
    thread.on("error", (error) => resume(Effect.die(error)))
    thread.on("exit", () => resume(Effect.die(new Error("The thread ended before it had made the text"))))
    return Effect.promise(() => thread.terminate())
  }).pipe(Effect.timeout(longest), Effect.orDie)

export const layer = Layer.succeed(Descriptions, {
  make: (kind, { publicUrl, version }) => make({ kind, publicUrl: publicUrl.href, version })
})
