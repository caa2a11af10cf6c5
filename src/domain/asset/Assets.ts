/** What people may do with files. */

import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AssetNotFound } from "./Asset.ts"
import { AssetBytes, type Opened, type Part } from "./AssetBytes.ts"
import { readAssetName } from "./AssetName.ts"
import { AssetStore, type StoredAsset } from "./AssetStore.ts"
import { makeLeftovers } from "./Leftovers.ts"
import { locationOfImage, makeResizing, type ResizedImages } from "./ResizedImages.ts"
import { makeThumbnails } from "./Thumbnails.ts"
import { dayBefore } from "./UploadQuota.ts"
import { makeUploads } from "./Uploads.ts"

/** What is sent to who asks for a file. */
export interface Contents extends Opened {
  readonly mimeType: string
}

/** Where the bytes of an asset are. */
const locationOf = ({ id, store }: StoredAsset) => ({ store, key: id })

const make = Effect.gen(function* () {
  const store = yield* AssetStore
  const bytes = yield* AssetBytes
  const thumbnails = yield* makeThumbnails
  const resizing = yield* makeResizing(thumbnails)
  const leftovers = yield* makeLeftovers
  const uploads = yield* makeUploads

  /** Finds an asset by its whole name in addresses. The id alone would let old files be found by counting. */
  const get = Effect.fn("Assets.get")(function* (name: string) {
    const notFound = new AssetNotFound({ metadata: { asset: name } })
    const wanted = readAssetName(name)
    if (wanted === undefined) return yield* notFound
    const found = yield* store.findStored(wanted.id)
    if (Option.isNone(found)) return yield* notFound
    return wanted.slug === found.value.filename ? found.value : yield* notFound
  })

  /** The bytes of an asset, or of a part of it. */
  const open = Effect.fnUntraced(function* (asset: StoredAsset, part?: Part) {
    const found = yield* bytes.open(locationOf(asset), part)
    if (Option.isSome(found)) return { ...found.value, mimeType: asset.mimeType }
    yield* Effect.logWarning("The bytes of an asset are missing").pipe(
      Effect.annotateLogs({ asset: asset.id, store: asset.store })
    )
    return yield* new AssetNotFound({ metadata: { asset: asset.id } })
  })

  /** One of the images that were made of an upload, if its bytes are there. */
  const openImage = (images: ResizedImages, name: string) => bytes.open(locationOfImage(images, name))

  /** Forgets what was uploaded on days that are over, and from which networks. */
  const forgetUploaded = Effect.flatMap(DateTime.now, (at) => store.forgetUploaded(dayBefore(at)))

  return {
    ...uploads,
    get,
    open,
    thumbnail: thumbnails.open,
    replaceImages: resizing.replace,
    openImage,
    clean: leftovers.clean,
    forgetUploaded
  } as const
})

export class Assets extends Context.Service<Assets, Effect.Success<typeof make>>()("forum/domain/Assets") {
  static readonly layer = Layer.effect(Assets, make)
}
