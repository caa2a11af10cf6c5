import { Schema } from "effect"
import * as AreaEvents from "./AreaEvents.ts"

export const declaredEvents = Object.values(AreaEvents)

/**
 * Something that happened: past tense, ids only. Logged events are kept for
 * months and read by older and newer releases, so a declaration only ever
 * gains optional fields.
 */
export const DomainEvent = Schema.Union(declaredEvents)
export type DomainEvent = typeof DomainEvent.Type
