/** How storage is doing, for those who operate the service. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../storage/StorageProblem.ts"

export interface StorageFigures {
  /** Open connections of the service, by state. */
  readonly connections: ReadonlyMap<string, number>
  /** Events that at least one consumer has not handled yet. */
  readonly eventLag: number
}

/** Whether storage works, and figures of its state. Both effects end within two seconds. */
export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    readonly check: Effect.Effect<void, StorageUnavailable>
    readonly observe: Effect.Effect<StorageFigures, StorageUnavailable>
  }
>()("forum/domain/StorageHealth") {}
