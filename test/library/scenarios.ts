import { Effect } from "effect"
import type { Scenarios } from "../support/scenarios.ts"
import { versionScenarios } from "./versionScenarios.ts"

/** The operations of the library, each part with its own preparations. */
export const scenarios: Scenarios = Effect.map(Effect.all([versionScenarios]), (parts) => parts.flat())
