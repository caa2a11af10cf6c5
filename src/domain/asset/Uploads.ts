/** Storing files: receiving their bytes, looking at them, and counting them. */
import { DateTime, Effect, Stream } from "effect"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { AssetId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Asset, AssetBytesUnavailable, AssetNotFound, assetPath } from "./Asset.ts"
import { AssetBytes } from "./AssetBytes.ts"
import { extensionOf, fileNameOf, storedNameOf, untitled } from "./AssetName.ts"
import { type AssetInsert, AssetStore, type CountedUpload } from "./AssetStore.ts"
import { makeDiskReserve } from "./DiskSpace.ts"
import { makeInspection } from "./Inspection.ts"
import { makeLeftovers } from "./Leftovers.ts"
import { makeQuotaCheck } from "./QuotaCheck.ts"
import type { Uploader } from "./UploadQuota.ts"

/** A file to store. */
export interface NewAsset<E, R> {
  /** The name as it was given, with or without folders; absent if none was given. */
  readonly name: string | undefined
  readonly parent: AssetId | undefined
  readonly bytes: Stream.Stream<Uint8Array, E, R>
  /** Runs in the transaction that makes the file an asset: both happen, or neither. */
  readonly with?: (id: AssetId) => Effect.Effect<void>
}

export const makeUploads = Effect.gen(function* () {
  const store = yield* AssetStore
  const bytes = yield* AssetBytes
  const ids = yield* Ids
  const transaction = yield* Transaction
  const leftovers = yield* makeLeftovers
  const quota = yield* makeQuotaCheck
  const reserve = yield* makeDiskReserve

  const getParent = Effect.fnUntraced(function* (id: AssetId) {
    const found = (yield* store.findByIds([id])).get(id)
    if (found === undefined) return yield* new AssetNotFound({ metadata: { asset: id } })
    const { parent: _, ...parent } = found
    return parent
  })

  /** Makes what was noted an asset, and counts it where it is to be counted. */
  const insert = Effect.fnUntraced(function* (row: AssetInsert, counted: CountedUpload | undefined) {
    const outcome = yield* store.insert(row, counted)
    if (outcome === "inserted") return
    if (outcome === "abandoned") return yield* new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
    if (counted !== undefined) yield* quota.refuse(counted, outcome)
  })

  /** Makes what was noted an asset, with what belongs to it. Others wait for the sums until the transaction ends, so that they are last. */
  const insertWith = (
    row: AssetInsert,
    counted: CountedUpload | undefined,
    also: (id: AssetId) => Effect.Effect<void>
  ) =>
    transaction(
      Effect.gen(function* () {
        yield* insert(row, undefined)
        yield* also(row.id)
        if (counted !== undefined) yield* quota.count(counted)
      })
    )

  /** Whether anything may be uploaded now; where files are not received but fetched, this comes before. */
  const check = (uploader: Uploader) => Effect.andThen(reserve.check, Effect.asVoid(quota.check(uploader)))

  /** Stores a file of this uploader, or of nobody: one that the service has fetched. */
  const createFor = Effect.fn("Assets.create")(function* <E, R>(
    uploader: Uploader | undefined,
    { bytes: given, name = untitled, parent, with: also }: NewAsset<E, R>
  ) {
    const derivedFrom = parent === undefined ? undefined : yield* getParent(parent)
    yield* reserve.check
    const limitsAt = uploader === undefined ? undefined : yield* quota.check(uploader)
    const inspection = makeInspection()
    const arrived = yield* bytes.receive(
      Stream.tap(reserve.guard(given), (part) => Effect.sync(() => inspection.add(part)))
    )

    const id = AssetId.make(yield* ids.unguessable)
    const originalName = fileNameOf(name)
    const { height, mimeType, size, width } = yield* inspection.finish(extensionOf(originalName))
    const filename = storedNameOf(id, name)
    const asset = { id, filename, mimeType, width, height }
    const at = yield* DateTime.now
    const owner = uploader?.account.accountId
    const counted = limitsAt && { at, size, limits: limitsAt(at) }
    const complete = Effect.gen(function* () {
      yield* store.noteUploads([{ store: bytes.store, key: id }], at)
      yield* arrived.keep(id)
      const row = { ...asset, at, owner, originalName, size, parent, store: bytes.store }
      yield* also === undefined ? insert(row, counted) : insertWith(row, counted, also)
    })
    // Whether it was completed would not be known of one that is interrupted; each of its steps has a time limit.
    yield* Effect.uninterruptible(Effect.onError(complete, (cause) => leftovers.takeBack([id], cause)))
    const stored: Asset = {
      id,
      filename,
      path: assetPath(filename),
      mime_type: mimeType,
      width,
      height,
      ...(derivedFrom === undefined ? {} : { parent: derivedFrom })
    }
    return stored
  }, Effect.scoped)

  /** Stores a file of the caller. */
  const create = <E, R>(input: NewAsset<E, R>, network: ClientNetwork) =>
    Effect.flatMap(CurrentAccount, (account) => createFor({ account, network }, input))

  return { check, createFor, create } as const
})
