/** Examples of bodies as they go over the wire, by the component that they are of. */
import type { JsonObject } from "./Json.ts"

export const examples: JsonObject = {}
