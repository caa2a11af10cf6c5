/** How plugins are deleted. */
import { DateTime, Effect } from "effect"
import { makeKeyWriting } from "../accesskey/KeyWriting.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { PluginId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { PluginDirectories } from "./PluginRuntime.ts"
import { makePluginSettling } from "./PluginSettling.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { PluginStore } from "./PluginStore.ts"
import { makePluginViews } from "./PluginViews.ts"

export const makePluginRemoval = Effect.gen(function* () {
  const store = yield* PluginStore
  const { revokeAllOf } = yield* makeKeyWriting
  const files = yield* AssetStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const signals = yield* PluginSignals
  const directories = yield* PluginDirectories
  const { getBy } = yield* makePluginViews
  const { ended } = yield* makePluginSettling

  /** Stops a plugin and waits for its end, so that nobody is told that it is deleted while it runs. */
  const stop = Effect.fnUntraced(function* (id: PluginId, at: DateTime.Utc) {
    yield* transaction(store.want(id, false, at))
    yield* signals.changed(id)
    yield* ended(id)
  })

  /**
   * Deletes a plugin. One that connects from elsewhere is ended when whoever has it sees that it is gone; what other
   * instances have unpacked of it is removed there with what else is left over.
   */
  const remove = Effect.fn("Plugins.remove")(function* (given: string) {
    const { accountId: actor } = yield* CurrentAccount
    const at = yield* DateTime.now
    const running = yield* getBy(store.find, given)
    if (running.lease !== undefined && running.connection.mode === "supervised") yield* stop(running.id, at)
    const removal = Effect.gen(function* () {
      const { accountId, connection, id, manifest } = yield* getBy(store.findForUpdate, given)
      yield* store.remove(id)
      // The bot stays, with what it wrote.
      if (accountId !== undefined) yield* revokeAllOf(accountId, actor, at)
      // Nobody reads the archive any more; its bytes are removed with those of other files that belong to nothing.
      if (connection.mode === "supervised") yield* files.noteUploads([connection.package.place], at)
      yield* events.append(actor, { _tag: "PluginRemoved", id, name: manifest.name })
      return id
    })
    const id = yield* transaction(removal)
    yield* signals.changed(id)
    // What cannot be removed now is removed later.
    yield* Effect.ignoreCause(directories.remove(id))
  })

  return remove
})
