/** Checks hashes by bcrypt, each on a thread that ends with it: few are checked, as each is replaced once it was. */
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import { Bcrypt } from "../../../domain/authentication/Bcrypt.ts"

/** What a thread is told to check. */
export interface Order {
  readonly password: string
  readonly hash: string
}

const program = new URL("./thread.ts", import.meta.url)

// The most that a hash may cost takes a few seconds, and more on a machine with other work.
const longest = "60 seconds"

const verify = (order: Order) =>
  Effect.callback<boolean>((resume) => {
    // A thread needs no environment, and none of the arguments of the service.
    const thread = new Worker(program, { workerData: order, env: {}, execArgv: [] })
    // A stop does not wait for it.
    thread.unref()
    thread.on("message", (isRight: boolean) => resume(Effect.succeed(isRight)))
    thread.on("error", (error) => resume(Effect.die(error)))
    thread.on("exit", () => resume(Effect.die(new Error("The thread ended before it had checked the hash"))))
    return Effect.promise(() => thread.terminate())
  }).pipe(Effect.timeout(longest), Effect.orDie)

export const layer = Layer.succeed(Bcrypt, {
  verify: (password, hash) => verify({ password, hash })
})
