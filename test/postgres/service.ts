/** A service to be killed: serves a data directory, writes one note and says so. */
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
