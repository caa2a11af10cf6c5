/** `forum migrate`. */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { checkReachable } from "../layers/wiring/Database.ts"
import { migrate as bringUpToDate, migrationState } from "../persistence/shared/Migrations.ts"
import { client, settings } from "./Environment.ts"

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fn(
    function* () {
      const { pending } = yield* checkReachable(migrationState)
      yield* bringUpToDate
      yield* Console.log(
        pending.length === 0
          ? "The database is up to date."
          : `The database is up to date: ${pending.length} migrations were run (${pending[0]} to ${pending.at(-1)}).`
      )
    },
    Effect.provide(client("made").pipe(Layer.provide(settings)))
  )
).pipe(
  Command.withDescription(
    "Brings the database to the schema of this release and ends. The service does the same when it starts; it should not run meanwhile."
  )
)
