import { Effect } from "effect"
import type { Scenarios } from "../support/scenarios.ts"
import { propertyScenarios } from "./propertyScenarios.ts"
import { readScenarios } from "./readScenarios.ts"

/** The operations of the library, each part with its own preparations. */
export const scenarios: Scenarios = Effect.map(Effect.all([propertyScenarios, readScenarios]), (parts) =>
  parts.flat()
)
