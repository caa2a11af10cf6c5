import { Effect, Option, Semaphore, Stream } from "effect"
import { Assets } from "../asset/Assets.ts"
import { makeInspection } from "../asset/Inspection.ts"
import type { AssetId } from "../shared/Id.ts"
import { Outbound } from "../shared/Outbound.ts"

const asked = {
  accept: "image/*",
  maxBytes: 8 * 1024 * 1024,
  beyond: "failure",
  redirects: 5,
  within: "30 seconds"
} as const

// Each is in memory as a whole.
const parallelCopies = 2

/** Stores a copy of the picture at an address as an asset of nobody; none if there is no picture. */
export const makePictureCopier = Effect.gen(function* () {
  const { send } = yield* Outbound
  const assets = yield* Assets
  const places = Semaphore.makeUnsafe(parallelCopies)

  const copy = Effect.fnUntraced(function* (url: string, name: string) {
    const { body, status } = yield* send({ ...asked, url })
    if (status < 200 || status > 299) return Option.none<AssetId>()
    const inspection = makeInspection()
    inspection.add(body)
    // What its server says of it counts for nothing.
    const { mimeType } = yield* inspection.finish("")
    if (!mimeType.startsWith("image/")) return Option.none<AssetId>()
    const asset = yield* assets.createFor(undefined, { name, parent: undefined, bytes: Stream.make(body) })
    return Option.some(asset.id)
  })

  return (url: string, name: string): Effect.Effect<Option.Option<AssetId>> =>
    places.withPermit(copy(url, name)).pipe(Effect.catch(() => Effect.succeedNone))
})
