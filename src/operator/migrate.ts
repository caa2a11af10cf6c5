/** `forum migrate`. */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { checkReachable } from "../layers/wiring/Database.ts"
import { migrate as bringUpToDate, type MigrationState } from "../persistence/shared/Migrations.ts"
import { client, settings } from "./Environment.ts"

/** What was done to a database that was in this state before. */
export const outcomeOf = ({ pending, unknown }: MigrationState): string => {
  if (unknown.length > 0)
    return `The database is of a newer release (it has ${unknown.at(-1)}): nothing was run.`
  return pending.length === 0
    ? "The database is up to date."
    : `The database is up to date: ${pending.length} migrations were run (${pending[0]} to ${pending.at(-1)}).`
}

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fn(
    function* () {
      yield* Console.log(outcomeOf(yield* checkReachable(bringUpToDate)))
    },
    Effect.provide(client("made").pipe(Layer.provide(settings)))
  )
).pipe(
  Command.withDescription(
    "Brings the database to the schema of this release and ends. The service does the same when it starts; it should not run meanwhile."
  )
)
