/** Small versions of images, made when they are first asked for and kept from then on. */
import { Effect, Option, Stream } from "effect"
import { makeTurns } from "../queue/Turns.ts"
import type { AssetId } from "../shared/Id.ts"
import { TooManyThumbnails } from "./Asset.ts"
import { AssetBytes, type FileLocation } from "./AssetBytes.ts"
import type { StoredAsset } from "./AssetStore.ts"
import { makeDiskReserve } from "./DiskSpace.ts"
import { rasterTypes } from "./Inspection.ts"
import { type Extent, pixelsMax, Thumbnailer, thumbnailType } from "./Thumbnailer.ts"

// Each takes a core and up to some hundred megabytes for a moment.
const together = { running: 2, present: 32 }

// Half of it: one client leaves a turn, and room to wait, to others.
const ofClient = { running: 1, present: 16 }

// Those who ask for one that is being made wait for it.
const ofOne = { running: 1, present: 64 }

// Images that cannot be read stay so; trying each time would take the turns of others.
const rememberedFailures = 1000

const full = Effect.suspend(() => Effect.fail(new TooManyThumbnails({ metadata: { retry_after: 2 } })))

type Image = Pick<StoredAsset, "mimeType" | "width" | "height">

/** Whether an image is shown smaller at this width. All else is answered as it was uploaded. */
export const isShrunk = ({ height, mimeType, width }: Image, to: number): boolean =>
  rasterTypes.has(mimeType) && width > to && width * height <= pixelsMax

/** The key of the small version of an image with this width. */
export const thumbnailKey = (id: AssetId, width: number): string => `${id}-w${width}`

export const makeThumbnails = Effect.gen(function* () {
  const bytes = yield* AssetBytes
  const thumbnailer = yield* Thumbnailer
  const { findShortage } = yield* makeDiskReserve
  const inTurn = makeTurns(together, full)
  const inTurnOfClient = makeTurns(ofClient, full)
  const once = makeTurns(ofOne, full)
  /** The ids of assets. */
  const unreadable = new Set<string>()

  const remember = (id: string) => {
    const [oldest] = unreadable
    if (unreadable.size >= rememberedFailures && oldest !== undefined) unreadable.delete(oldest)
    unreadable.add(id)
  }

  const make = Effect.fnUntraced(function* (asset: StoredAsset, width: number, place: FileLocation) {
    const path = yield* bytes.locally({ store: asset.store, key: asset.id })
    if (Option.isNone(path)) return
    // A decoder cannot be stopped: who goes away leaves no turn to others before it has ended.
    const made = yield* Effect.uninterruptible(thumbnailer.make(path.value, width))
    // No other width would be different.
    if (Option.isNone(made)) return remember(asset.id)
    const arrived = yield* bytes.receive(Stream.make(made.value))
    yield* arrived.keep(place.key)
  }, Effect.scoped)

  /** Makes a thumbnail, unless an attempt at another width has shown meanwhile that the image cannot be read. */
  const makeUnlessUnreadable = (asset: StoredAsset, width: number, place: FileLocation) =>
    Effect.suspend(() => (unreadable.has(asset.id) ? Effect.void : make(asset, width, place)))

  /** The image at this width, for this client; nothing if it is to be answered as it was uploaded. */
  const open = Effect.fnUntraced(function* (asset: StoredAsset, width: number, client: string) {
    const place = { store: bytes.store, key: thumbnailKey(asset.id, width) }
    if (!thumbnailer.isAvailable || !isShrunk(asset, width) || unreadable.has(asset.id)) return Option.none()
    const find = Effect.map(
      bytes.open(place),
      Option.map((opened) => ({ ...opened, mimeType: thumbnailType, key: place.key }))
    )
    const found = yield* find
    if (Option.isSome(found)) return found
    if ((yield* findShortage) !== undefined) return Option.none()
    const makeIfMissing = Effect.flatMap(Effect.scoped(bytes.open(place)), (made) =>
      Option.isSome(made) || unreadable.has(asset.id)
        ? Effect.void
        : inTurnOfClient(client, inTurn("all", makeUnlessUnreadable(asset, width, place)))
    )
    yield* once(place.key, makeIfMissing)
    return yield* find
  })

  /** The image in the file in these sizes, made in the turns of all; nothing if it cannot be read. */
  const render = (path: string, extents: ReadonlyArray<Extent>) =>
    inTurn("all", Effect.uninterruptible(thumbnailer.render(path, extents)))

  return { open, render, isAvailable: thumbnailer.isAvailable } as const
})

export type Thumbnails = Effect.Success<typeof makeThumbnails>
