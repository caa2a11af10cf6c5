import { Effect, Layer } from "effect"
import type { EventConsumer } from "../../../domain/event/EventConsumer.ts"
import type { Chore } from "../../process/Housekeeping.ts"
import type { Worker } from "../../process/Workers.ts"

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What an area adds to the service. All areas together provide what each part needs, so their order is free. */
export interface Area {
  /** The stores that the rules of the area need, in the database. */
  readonly stores: AnyLayer
  /** The services of the area; each layer provides the other services that it uses. */
  readonly services: AnyLayer
  /** The handlers of the operations of the area. */
  readonly handlers: AnyLayer
  /** The consumers of events of the area. */
  readonly consumers: Effect.Effect<ReadonlyArray<EventConsumer>, never, unknown>
  /** The chores of the area, which run from time to time. */
  readonly chores: Effect.Effect<ReadonlyArray<Chore>, never, unknown>
  /** The workers of the area, which go on beside requests. */
  readonly workers: Effect.Effect<ReadonlyArray<Worker>, never, unknown>
}

/** An area that adds nothing, with the values for what other areas leave out. */
export const empty = {
  stores: Layer.empty,
  services: Layer.empty,
  handlers: Layer.empty,
  consumers: Effect.succeed<ReadonlyArray<EventConsumer>>([]),
  chores: Effect.succeed<ReadonlyArray<Chore>>([]),
  workers: Effect.succeed<ReadonlyArray<Worker>>([])
} satisfies Area

/** Layers of one kind as one. */
export const mergedLayers = <L extends AnyLayer>(layers: ReadonlyArray<L>) =>
  Layer.mergeAll(Layer.empty, ...layers)
