/** Tells whoever runs plugins on this instance at once that it has to look; on others it sees the revision a moment later. */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { AfterCommit } from "../storage/Transaction.ts"

// Who misses some looks at all plugins before long.
const waiting = 256

export class PluginSignals extends Context.Service<
  PluginSignals,
  {
    /** Tells, once it is committed, that a plugin was added, changed or deleted, or has connected. */
    readonly changed: (id: PluginId) => Effect.Effect<void>
    /** The plugins that have changed, or connected, since the stream began. */
    readonly changes: Stream.Stream<PluginId>
  }
>()("forum/domain/PluginSignals") {
  static readonly layer = Layer.effect(
    PluginSignals,
    Effect.gen(function* () {
      const signals = yield* PubSub.sliding<PluginId>(waiting)
      const afterCommit = yield* AfterCommit
      return PluginSignals.of({
        changed: (id) => afterCommit(Effect.asVoid(PubSub.publish(signals, id))),
        changes: Stream.fromPubSub(signals)
      })
    })
  )
}
