/** What people may do with avatars. */
import { Context, DateTime, Effect, Layer, Option, type Stream } from "effect"
import { AssetStore, type StoredAsset } from "../asset/AssetStore.ts"
import { Assets } from "../asset/Assets.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId, AssetId } from "../shared/Id.ts"
import { AccountNotFound } from "./Account.ts"
import { AccountStore } from "./AccountStore.ts"

/** The avatar of an account: a file, or without one what is drawn for it. */
export interface ShownAvatar {
  readonly accountId: AccountId
  readonly asset: StoredAsset | undefined
}

const make = Effect.gen(function* () {
  const store = yield* AccountStore
  const assets = yield* Assets
  const stored = yield* AssetStore
  const events = yield* EventLog

  /** Makes a file the caller's avatar. The one before stays a file. */
  const set = Effect.fn("Avatars.set")(function* <E, R>(
    bytes: Stream.Stream<Uint8Array, E, R>,
    network: ClientNetwork
  ) {
    const { accountId } = yield* CurrentAccount
    const avatar = {
      name: "avatar",
      parent: undefined,
      bytes,
      with: Effect.fnUntraced(function* (id: AssetId) {
        yield* store.setAvatar(accountId, id, yield* DateTime.now)
        yield* events.append(accountId, { _tag: "AccountUpdated", id: accountId })
      })
    }
    // It has no parent that could be missing.
    yield* Effect.catchTag(assets.create(avatar, network), "AssetNotFound", Effect.die)
  })

  const get = Effect.fn("Avatars.get")(function* (handle: string) {
    const found = yield* store.findAvatar(handle)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: handle } })
    const { accountId, assetId } = found.value
    if (assetId === undefined) return { accountId, asset: undefined } satisfies ShownAvatar
    const asset = Option.getOrUndefined(yield* stored.findStored(assetId))
    return { accountId, asset } satisfies ShownAvatar
  })

  return { set, get, open: assets.open } as const
})

export class Avatars extends Context.Service<Avatars, Effect.Success<typeof make>>()("forum/domain/Avatars") {
  static readonly layer = Layer.effect(Avatars, make)
}
