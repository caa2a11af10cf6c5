/** A service that starts a program, which is told for how long its processes sleep, and waits to be killed. */
import { Effect, Logger } from "effect"
import { runner } from "./support.ts"

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { launch, linesUntil } = yield* runner
      const { id } = yield* launch("./detaches.sh", ["stay", "", process.argv[2] ?? ""])
      yield* linesUntil(id, "started")
      process.stdout.write("started")
      yield* Effect.never
    })
  ).pipe(Effect.provide(Logger.layer([])))
)
