/**
 * Starts a program as the user who runs this, and writes how it ended. It is told without what that is, in JSON, and the
 * program with its arguments.
 */
import { Effect, Logger, Schema } from "effect"
import { runnerWith } from "./support.ts"

const Without = Schema.fromJsonString(Schema.Array(Schema.Literals(["boxes", "network", "limits"])))

const [, , without = "[]", command = "", ...args] = process.argv

const end = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { launch } = yield* runnerWith({ without: yield* Schema.decodeUnknownEffect(Without)(without) })
      const { exited } = yield* launch(command, args)
      return yield* exited
    })
  ).pipe(Effect.provide(Logger.layer([])))
)
process.stdout.write(end.text)
