import { Effect, Layer } from "effect"
import type { EventConsumer } from "../../../domain/event/EventConsumer.ts"
import type { Chore } from "../../process/Housekeeping.ts"
import type { Worker } from "../../process/Workers.ts"

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What an area adds to the service. All areas together provide what each part needs, so their order is free. */
export interface Area {
  /** What its rules need from storage, in the database. */
  readonly stores: AnyLayer
  /** Its services; each layer provides the other services that it uses. */
  readonly services: AnyLayer
  /** Its operations. */
  readonly handlers: AnyLayer
  /** What follows from events. */
  readonly consumers: Effect.Effect<ReadonlyArray<EventConsumer>, never, unknown>
  /** What is done from time to time. */
  readonly chores: Effect.Effect<ReadonlyArray<Chore>, never, unknown>
  /** What goes on beside requests. */
  readonly workers: Effect.Effect<ReadonlyArray<Worker>, never, unknown>
}

/** An area that adds nothing: what the others leave out. */
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
