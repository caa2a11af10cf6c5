import { Effect } from "effect"
import type { Scenarios } from "../support/scenarios.ts"
import { propertyScenarios } from "./propertyScenarios.ts"
import { readScenarios } from "./readScenarios.ts"
import { writeScenarios } from "./writeScenarios.ts"

/** The operations of the library, each part with its own preparations. */
export const scenarios: Scenarios = Effect.map(
  Effect.all([propertyScenarios, writeScenarios, readScenarios]),
  // What was prepared last is called first: it has read validators, which others change.
  (parts) => parts.toReversed().flat()
)
