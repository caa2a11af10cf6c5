/** Images of fixed sizes that are made of an uploaded one, and replace those of another upload: all of them, or none. */
import { DateTime, Effect, Option, Stream } from "effect"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AssetBytesUnavailable } from "./Asset.ts"
import { AssetBytes, type FileLocation, type StoreKind } from "./AssetBytes.ts"
import { AssetStore } from "./AssetStore.ts"
import { makeDiskReserve } from "./DiskSpace.ts"
import { ImagesUnavailable, ImageTooLarge, NotAnImage } from "./ImageRefusal.ts"
import { type Inspected, makeInspection, rasterTypes } from "./Inspection.ts"
import { makeLeftovers } from "./Leftovers.ts"
import { makeQuotaCheck } from "./QuotaCheck.ts"
import { type Extent, pixelsMax } from "./Thumbnailer.ts"
import type { Thumbnails } from "./Thumbnails.ts"

/** A size that an image is made in, and its name, which consists of letters and digits. */
export interface NamedExtent extends Extent {
  readonly name: string
}

/** The images of one upload. */
export interface ResizedImages {
  readonly id: string
  readonly store: StoreKind
  /** The bytes of each, by the name of its size. */
  readonly lengths: { readonly [name: string]: number }
}

export interface NewImages<E, R> {
  readonly bytes: Stream.Stream<Uint8Array, E, R>
  readonly extents: ReadonlyArray<NamedExtent>
  /** Where the upload comes from. */
  readonly network: ClientNetwork
  /** Runs in the transaction that keeps the images, and answers those that they replace. */
  readonly record: (images: ResizedImages) => Effect.Effect<ResizedImages | undefined>
}

/** Where one of the images is. */
export const locationOfImage = (
  { id, store }: Omit<ResizedImages, "lengths">,
  name: string
): FileLocation => ({
  store,
  key: `${id}-${name}`
})

const locationsOf = (images: ResizedImages | undefined): ReadonlyArray<FileLocation> =>
  images === undefined ? [] : Object.keys(images.lengths).map((name) => locationOfImage(images, name))

/** Checks by the header of a file, before any pixel is decoded, that it is an image and not too large. */
const checkReadable = ({ height, mimeType, width }: Inspected) => {
  if (!rasterTypes.has(mimeType) || width === 0) return Effect.fail(new NotAnImage())
  return width * height > pixelsMax
    ? Effect.fail(new ImageTooLarge({ metadata: { width, height, maximum: pixelsMax } }))
    : Effect.void
}

export const makeResizing = Effect.fnUntraced(function* (thumbnails: Thumbnails) {
  const store = yield* AssetStore
  const bytes = yield* AssetBytes
  const ids = yield* Ids
  const transaction = yield* Transaction
  const quota = yield* makeQuotaCheck
  const reserve = yield* makeDiskReserve
  const { takeBack } = yield* makeLeftovers

  /** The images, each in a temporary file. */
  const receive = Effect.fnUntraced(function* <E, R>({ bytes: given, extents }: NewImages<E, R>) {
    const inspection = makeInspection()
    const original = yield* bytes.receive(
      Stream.tap(reserve.guard(given), (part) => Effect.sync(() => inspection.add(part)))
    )
    yield* checkReadable(yield* inspection.finish(""))
    const made = yield* thumbnails.render(original.path, extents)
    if (Option.isNone(made)) return yield* new NotAnImage()
    return yield* Effect.forEach(made.value, (image, place) =>
      Effect.map(bytes.receive(Stream.make(image)), (arrived) => ({
        name: extents[place]?.name ?? "",
        length: image.length,
        ...arrived
      }))
    )
  })

  /** Makes images of what the caller uploads, and stores them in place of others. */
  const replace = Effect.fn("ResizedImages.replace")(function* <E, R>(input: NewImages<E, R>) {
    if (!thumbnails.isAvailable) return yield* new ImagesUnavailable()
    yield* reserve.check
    const limitsAt = yield* quota.check({ account: yield* CurrentAccount, network: input.network })
    const received = yield* receive(input)

    const at = yield* DateTime.now
    const images: ResizedImages = {
      id: yield* ids.next,
      store: bytes.store,
      lengths: Object.fromEntries(received.map(({ length, name }) => [name, length]))
    }
    const places = locationsOf(images)
    const keys = places.map(({ key }) => key)
    const size = received.reduce((sum, { length }) => sum + length, 0)

    const record = Effect.gen(function* () {
      if (!(yield* store.adoptUploads(keys))) {
        return yield* new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
      }
      yield* store.noteUploads(locationsOf(yield* input.record(images)), at)
      // Others wait for what is counted until the transaction ends.
      yield* quota.count({ size, at, limits: limitsAt(at) })
    })
    const complete = Effect.gen(function* () {
      yield* store.noteUploads(places, at)
      yield* Effect.forEach(received, ({ keep, name }) => keep(locationOfImage(images, name).key), {
        discard: true
      })
      yield* transaction(record)
    })
    // Whether it was completed would not be known of one that is interrupted; each of its steps has a time limit.
    yield* Effect.uninterruptible(Effect.onError(complete, (cause) => takeBack(keys, cause)))
  }, Effect.scoped)

  return { replace } as const
})
