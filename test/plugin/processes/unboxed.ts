/** Starts a program that leaves processes behind, as the user who runs this, without namespaces, and writes how it ended. */
import { Effect, Logger } from "effect"
import { runnerWith } from "./support.ts"

const end = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { launch } = yield* runnerWith({ without: ["boxes"] })
      const { exited } = yield* launch("./detaches.sh", ["exit", "keep", process.argv[2] ?? ""])
      return yield* exited
    })
  ).pipe(Effect.provide(Logger.layer([])))
)
process.stdout.write(end.text)
