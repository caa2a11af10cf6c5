/** What people may do with the theme. */
import { Context, DateTime, Effect, Layer, Schema, Semaphore, Stream } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { assetPath } from "../asset/Asset.ts"
import { AssetStore, type StoredAsset } from "../asset/AssetStore.ts"
import { Assets } from "../asset/Assets.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { AssetId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type Theme,
  type ThemeAsset,
  ThemeAssetsUnknown,
  ThemeAssetsUnsuitable,
  type ThemeChange
} from "./Theme.ts"
import { findRefusal, type Listed, listedIn } from "./ThemeRules.ts"
import { type ThemeFile, ThemeStore } from "./ThemeStore.ts"

// Themes whose files are read at the same time, one file after the other. Others wait for a whole theme: if all went on
// by turns, none would be done in time when there are many.
const readTogether = 2

const isAssetId = Schema.is(AssetId)

type Stored = ReadonlyMap<string, StoredAsset>

const shown = (
  { filename, id, mimeType, originalName, size }: StoredAsset,
  integrity: string
): ThemeAsset => ({
  id,
  filename: originalName,
  path: assetPath(filename),
  mime_type: mimeType,
  size,
  integrity
})

/** The theme that consists of these files. */
const themeOf = (files: ReadonlyArray<ThemeFile>, stored: Stored): Theme => {
  const inList = (wanted: ThemeFile["list"]) =>
    files.flatMap(({ assetId, integrity, list }) => {
      const asset = stored.get(assetId)
      return list === wanted && asset !== undefined ? [shown(asset, integrity)] : []
    })
  return { stylesheets: inList("stylesheets"), scripts: inList("scripts") }
}

const make = Effect.gen(function* () {
  const store = yield* ThemeStore
  const assetStore = yield* AssetStore
  const assets = yield* Assets
  const events = yield* EventLog
  const transaction = yield* Transaction
  const digest = yield* Digest.Digest
  const places = Semaphore.makeUnsafe(readTogether)

  const current = Effect.gen(function* () {
    const files = yield* store.files
    const ids = new Set(files.map(({ assetId }) => assetId))
    return themeOf(files, yield* assetStore.findStoredByIds([...ids]))
  })

  /** All files that are asked for, or a problem that names those that are not to be had. */
  const find = Effect.fnUntraced(function* (listed: ReadonlyArray<Listed>) {
    const ids = [...new Set(listed.map(({ id }) => id))]
    const stored: Stored = yield* assetStore.findStoredByIds(ids.filter(isAssetId))
    const unknown = ids.filter((id) => !stored.has(id))
    if (unknown.length > 0) return yield* new ThemeAssetsUnknown({ metadata: { asset_ids: unknown } })
    const refused = listed.flatMap(({ id, list }) => {
      const asset = stored.get(id)
      const reason = asset === undefined ? undefined : findRefusal(list, asset)
      return reason === undefined ? [] : [{ asset_id: id, list, reason }]
    })
    if (refused.length > 0) {
      const asset_ids = [...new Set(refused.map(({ asset_id }) => asset_id))]
      return yield* new ThemeAssetsUnsuitable({ metadata: { asset_ids, refused } })
    }
    return stored
  })

  /** The integrity of the bytes that clients get when they ask for the file. */
  const integrityOf = Effect.fnUntraced(
    function* (asset: StoredAsset) {
      const { bytes } = yield* assets.open(asset)
      const hash = yield* digest.digest(Digest.sha384, yield* Stream.mkUint8Array(bytes))
      return `sha384-${Base64.encode(hash)}`
    },
    Effect.scoped,
    (read, { id }) =>
      Effect.catchTag(read, "AssetNotFound", () =>
        Effect.fail(new ThemeAssetsUnknown({ metadata: { asset_ids: [id] } }))
      )
  )

  const filesOf = Effect.fnUntraced(function* (listed: ReadonlyArray<Listed>, stored: Stored) {
    const files: Array<ThemeFile> = []
    for (const { id, list } of listed) {
      const asset = stored.get(id)
      if (asset !== undefined) files.push({ list, assetId: asset.id, integrity: yield* integrityOf(asset) })
    }
    return files
  }, places.withPermit)

  /** Makes these files the theme, all together. */
  const replace = Effect.fn("Themes.replace")(function* (change: ThemeChange) {
    const { accountId } = yield* CurrentAccount
    const listed = listedIn(change)
    const stored = yield* find(listed)
    const files = yield* filesOf(listed, stored)
    const at = yield* DateTime.now
    yield* transaction(
      Effect.andThen(store.replace(files, accountId, at), events.append(accountId, { _tag: "ThemeReplaced" }))
    )
    return themeOf(files, stored)
  })

  return { current, replace } as const
})

export class Themes extends Context.Service<Themes, Effect.Success<typeof make>>()("forum/domain/Themes") {
  static readonly layer = Layer.effect(Themes, make)
}
