/** What states that browsers keep need from storage. */
import { Context, type DateTime, type Effect } from "effect"

export class SealedStateStore extends Context.Service<
  SealedStateStore,
  {
    /** The key of the seals: the same for all instances, random, and never shown. */
    readonly key: Effect.Effect<Uint8Array>
    /** Notes that the proof of a state is used; false if it was before. The note may be forgotten after a time. */
    readonly use: (proof: string, until: DateTime.Utc) => Effect.Effect<boolean>
    readonly forget: (before: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/SealedStateStore") {}
