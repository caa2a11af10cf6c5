import { DateTime, Effect, Schema } from "effect"
import { AssetNotFound } from "../asset/Asset.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { AssetId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makeNodeAccess, type Owned } from "./NodeAccess.ts"
import { decideEvents } from "./NodeEvents.ts"
import type { NodeState } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"

const isAssetId = Schema.is(AssetId)

/** Changes which files nodes have. */
export const makeNodeFiles = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const assets = yield* AssetStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getForUpdate, getOwn } = yield* makeNodeAccess

  /** Changes which files a node has; `writes` answers whether it has. */
  const changeAssets = <E, R>(
    { actor, node: found }: Owned,
    writes: (node: NodeState, at: DateTime.Utc) => Effect.Effect<boolean, E, R>
  ) =>
    queue(
      found.id,
      transaction(
        Effect.gen(function* () {
          const node = yield* getForUpdate(found.id)
          const at = yield* DateTime.now
          if (!(yield* writes(node, at))) return
          yield* nodes.amend(node.id, {}, at)
          yield* events.append(actor.accountId, ...decideEvents(node, node.visibility))
        })
      )
    )

  const getAsset = Effect.fnUntraced(function* (asset: string) {
    if (isAssetId(asset) && (yield* assets.findByIds([asset])).has(asset)) return asset
    return yield* new AssetNotFound({ metadata: { asset } })
  })

  /** Answers the id of the node. */
  const addAsset = Effect.fn("Nodes.addAsset")(function* (mark: string, asset: string) {
    const owned = yield* getOwn(mark)
    const id = yield* getAsset(asset)
    yield* changeAssets(owned, (node, at) => nodes.addAssets(node.id, [id], at))
    return owned.node.id
  })

  /** Answers the id of the node. */
  const removeAsset = Effect.fn("Nodes.removeAsset")(function* (mark: string, asset: string) {
    const owned = yield* getOwn(mark)
    const id = yield* getAsset(asset)
    yield* changeAssets(owned, (node) => nodes.removeAsset(node.id, id))
    return owned.node.id
  })

  return { addAsset, removeAsset } as const
})
