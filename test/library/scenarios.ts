import { Effect } from "effect"
import type { Scenarios } from "../support/scenarios.ts"
import { propertyScenarios } from "./propertyScenarios.ts"
import { readScenarios } from "./readScenarios.ts"
import { versionScenarios } from "./versionScenarios.ts"
import { writeScenarios } from "./writeScenarios.ts"

/**
 * The operations of the library, each part with its own preparations. Reading is prepared last and called first, as
 * it asks whether what it knows has changed.
 */
export const scenarios: Scenarios = Effect.map(
  Effect.all([versionScenarios, writeScenarios, propertyScenarios, readScenarios]),
  ([versions, writes, properties, reads]) => [...reads, ...writes, ...properties, ...versions]
)
