/** Attacks as the user who runs this, and writes what came of it. */
import { Effect } from "effect"
import { attack } from "./attack.ts"

const came = await Effect.runPromise(Effect.scoped(attack([])))
process.stdout.write(JSON.stringify(came))
