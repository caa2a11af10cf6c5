/** The icon and the banner of an instance. */
import { Context, Effect, Layer, Option, type Scope, type Stream } from "effect"
import type { AssetBytesUnavailable } from "../asset/Asset.ts"
import type { Opened } from "../asset/AssetBytes.ts"
import { Assets } from "../asset/Assets.ts"
import type { ResizedImages } from "../asset/ResizedImages.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { ImageKind } from "../vocabulary/Kinds.ts"
import { extentOf, sizesOf } from "./InstanceImage.ts"

/** Which files are the images of the instance. */
export class InstanceImageStore extends Context.Service<
  InstanceImageStore,
  {
    /** The images that were uploaded last for this kind, if any were. */
    readonly find: (kind: ImageKind) => Effect.Effect<ResizedImages | undefined>
    /** Replaces the images of this kind, one upload after the other, and answers the previous ones. */
    readonly replace: (kind: ImageKind, images: ResizedImages) => Effect.Effect<ResizedImages | undefined>
  }
>()("forum/domain/InstanceImageStore") {}

/** An uploaded image in one size. */
export interface ShownImage {
  /** Identifies the image: another one has another tag. */
  readonly tag: string
  /** The size in bytes. */
  readonly length: number
  /** Opens the image; answers none if its bytes are lost. */
  readonly open: Effect.Effect<Option.Option<Opened>, AssetBytesUnavailable, Scope.Scope>
}

const make = Effect.gen(function* () {
  const store = yield* InstanceImageStore
  const assets = yield* Assets
  const events = yield* EventLog

  /** Makes images of what is uploaded, in all sizes of the kind, and shows them from then on. */
  const set = Effect.fn("InstanceImages.set")(function* <E, R>(
    kind: ImageKind,
    bytes: Stream.Stream<Uint8Array, E, R>,
    network: ClientNetwork
  ) {
    const { accountId } = yield* CurrentAccount
    const record = (images: ResizedImages) =>
      Effect.tap(store.replace(kind, images), () =>
        events.append(accountId, { _tag: "InstanceImageUpdated", image: kind })
      )
    yield* assets.replaceImages({ bytes, extents: sizesOf[kind].map(extentOf), network, record })
  })

  const open = Effect.fnUntraced(function* (images: ResizedImages, size: string) {
    const found = yield* assets.openImage(images, size)
    if (Option.isNone(found)) {
      yield* Effect.logWarning("The bytes of an image of the instance are missing").pipe(
        Effect.annotateLogs({ upload: images.id, size, store: images.store })
      )
    }
    return found
  })

  /** What was uploaded, in this size; nothing as long as there was none. */
  const find = (kind: ImageKind, size: string) =>
    Effect.map(store.find(kind), (images): ShownImage | undefined => {
      const length = images?.lengths[size]
      if (images === undefined || length === undefined) return undefined
      return { tag: `${images.id}-${size}`, length, open: open(images, size) }
    })

  return { set, find } as const
})

export class InstanceImages extends Context.Service<InstanceImages, Effect.Success<typeof make>>()(
  "forum/domain/InstanceImages"
) {
  static readonly layer = Layer.effect(InstanceImages, make)
}
