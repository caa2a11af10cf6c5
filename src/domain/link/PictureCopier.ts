import { DateTime, Effect, Option, Semaphore, Stream } from "effect"
import { Assets } from "../asset/Assets.ts"
import { makeInspection } from "../asset/Inspection.ts"
import { dayOf, weightOf } from "../asset/UploadQuota.ts"
import { Outbound } from "../outbound/Outbound.ts"
import type { AssetId } from "../shared/Id.ts"
import { LinkStore } from "./LinkStore.ts"

const mebibyte = 1024 * 1024

const asked = {
  accept: "image/*",
  maxBytes: 8 * mebibyte,
  beyond: "failure",
  redirects: 5,
  within: "30 seconds"
} as const

// Each is in memory as a whole.
const parallelCopies = 2

/**
 * What all copies that are made on one day (UTC) may take, in bytes that count as those of uploads do. They are in
 * nobody's quota, and whoever posts links decides which ones are made: without a limit, members could fill the disk.
 */
export const copiedPerDay = 2048 * mebibyte

const today = Effect.map(DateTime.now, dayOf)

/** Stores a copy of the picture at an address as an asset of nobody; none if there is no picture, or no more room. */
export const makePictureCopier = Effect.gen(function* () {
  const { send } = yield* Outbound
  const assets = yield* Assets
  const links = yield* LinkStore
  const places = Semaphore.makeUnsafe(parallelCopies)

  const copy = Effect.fnUntraced(function* (url: string, name: string) {
    if ((yield* links.findCopied(yield* today)) >= copiedPerDay) return Option.none<AssetId>()
    const { body, status } = yield* send({ ...asked, url })
    if (status < 200 || status > 299) return Option.none<AssetId>()
    const inspection = makeInspection()
    inspection.add(body)
    // What its server says of it counts for nothing.
    const { mimeType } = yield* inspection.finish("")
    if (!mimeType.startsWith("image/")) return Option.none<AssetId>()
    const asset = yield* assets.createFor(undefined, {
      name,
      parent: undefined,
      bytes: Stream.make(body),
      with: () => Effect.flatMap(today, (day) => links.countCopied(weightOf(body.length), day))
    })
    return Option.some(asset.id)
  })

  return (url: string, name: string): Effect.Effect<Option.Option<AssetId>> =>
    places.withPermit(copy(url, name)).pipe(Effect.catch(() => Effect.succeedNone))
})
