/** A process for tests to kill: runs PostgreSQL on a data directory, commits one note and prints a line. */
import { Console, Effect } from "effect"
import { createNotes, note, serving } from "./server.ts"

const [dataDir = ""] = process.argv.slice(2)

await serving({ dataDir }, (connection) =>
  Effect.gen(function* () {
    yield* Effect.ignore(createNotes(connection))
    yield* note(connection, "acknowledged")
    yield* Console.log("serving")
    return yield* Effect.never
  })
).pipe(Effect.runPromise)
