/** What administrators do with plugins. */
import { Context, DateTime, Effect, Layer, type Redacted } from "effect"
import { room } from "../answer/AnswerRoom.ts"
import { EventLog } from "../event/EventLog.ts"
import type { JsonObject } from "../field/Json.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { PluginId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { makePluginRemoval } from "./PluginRemoval.ts"
import { decideManifest } from "./PluginRules.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"
import { makePluginTokens } from "./PluginTokens.ts"
import { getExternal, makePluginViews } from "./PluginViews.ts"

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const signals = yield* PluginSignals
  const tokens = yield* makePluginTokens
  const { getBy, show, showAdded, showListed } = yield* makePluginViews
  const remove = yield* makePluginRemoval

  const list = Effect.fn("Plugins.list")(function* () {
    return yield* Effect.forEach(yield* store.list(room), showListed)
  })

  const get = Effect.fn("Plugins.get")(function* (id: string) {
    return yield* show(yield* getBy(store.find, id))
  })

  /** Adds a plugin that runs elsewhere, which may connect from then on. */
  const addExternal = Effect.fn("Plugins.addExternal")(function* (sent: JsonObject) {
    const { accountId } = yield* CurrentAccount
    const manifest = yield* Effect.fromResult(decideManifest(sent))
    const id = PluginId.make(yield* ids.next)
    const { sealedToken, tokenHash } = yield* tokens.issue(id)
    const addedAt = yield* DateTime.now
    const connection = { mode: "external", sealedToken, tokenHash } as const
    const addition = Effect.gen(function* () {
      const added = yield* store.insert({ id, addedAt, manifest, connection })
      yield* events.append(accountId, { _tag: "PluginAdded", id, name: manifest.name, mode: "external" })
      return added
    })
    const added = yield* transaction(addition)
    yield* signals.changed(id)
    return yield* showAdded(added)
  })

  const cycleToken = Effect.fn("Plugins.cycleToken")(function* (given: string) {
    const { accountId } = yield* CurrentAccount
    const cycling = Effect.gen(function* () {
      const plugin = yield* getBy(store.findForUpdate, given)
      yield* getExternal(plugin)
      const { id, manifest } = plugin
      const { sealedToken, token, tokenHash } = yield* tokens.issue(id)
      yield* store.setToken(id, sealedToken, tokenHash)
      yield* events.append(accountId, { _tag: "PluginTokenCycled", id, name: manifest.name })
      return { id, token }
    })
    const { id, token } = yield* transaction(cycling)
    yield* signals.changed(id)
    return token satisfies Redacted.Redacted
  })

  /** Replaces the whole manifest of an external plugin; its id may be another one. */
  const updateManifest = Effect.fn("Plugins.updateManifest")(function* (given: string, sent: JsonObject) {
    const { accountId } = yield* CurrentAccount
    // Of what is not there, and of what has its manifest in an archive, no manifest is looked at.
    yield* getExternal(yield* getBy(store.find, given))
    const manifest = yield* Effect.fromResult(decideManifest(sent))
    const update = Effect.gen(function* () {
      const plugin = yield* getBy(store.findForUpdate, given)
      yield* getExternal(plugin)
      const { id } = plugin
      const updated = yield* store.setManifest(id, manifest)
      yield* events.append(accountId, {
        _tag: "PluginUpdated",
        id,
        name: manifest.name,
        changed: "manifest"
      })
      return updated
    })
    const updated = yield* transaction(update)
    yield* signals.changed(updated.id)
    return yield* show(updated)
  })

  const fieldsOf = ({ manifest }: StoredPlugin) => ({ fields: manifest.configuration_schema?.fields ?? [] })

  /** The values that a plugin has, by its manifest. */
  const configurationSchema = Effect.fn("Plugins.configurationSchema")(function* (id: string) {
    return fieldsOf(yield* getBy(store.find, id))
  })

  /** The values that administrators have chosen. What a plugin does without a value is its own matter. */
  const configuration = Effect.fn("Plugins.configuration")(function* (id: string) {
    return (yield* getBy(store.find, id)).configuration
  })

  return {
    list,
    get,
    addExternal,
    remove,
    cycleToken,
    updateManifest,
    configurationSchema,
    configuration
  } as const
})

export class Plugins extends Context.Service<Plugins, Effect.Success<typeof make>>()("forum/domain/Plugins") {
  static readonly layer = Layer.effect(Plugins, make)
}
