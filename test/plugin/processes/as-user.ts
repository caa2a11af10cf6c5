/** Attacks as the user who runs this, and writes what came of it. */
import { Effect, Logger } from "effect"
import { attack } from "./attack.ts"

const came = await Effect.runPromise(Effect.scoped(attack([])).pipe(Effect.provide(Logger.layer([]))))
process.stdout.write(JSON.stringify(came))
