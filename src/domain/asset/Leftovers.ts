/** What uploads have left that belongs to nothing, and how it is removed. */
import { Cause, DateTime, Effect, Option } from "effect"
import { AssetBytesUnavailable } from "./Asset.ts"
import { AssetBytes, type FileLocation } from "./AssetBytes.ts"
import { AssetStore } from "./AssetStore.ts"

// An upload takes at most twenty minutes, by the pace that is asked of it. Replaced files are read until then.
const abandonedAfter = { hours: 2 }

export const makeLeftovers = Effect.gen(function* () {
  const store = yield* AssetStore
  const bytes = yield* AssetBytes

  const remove = Effect.fnUntraced(function* (places: ReadonlyArray<FileLocation>) {
    yield* Effect.forEach(
      places,
      (place) => Effect.andThen(bytes.remove(place), store.forgetUploads([place.key])),
      { discard: true }
    )
  })

  /**
   * Takes back the files of an upload that could not be completed, unless they belong to something already: a
   * transaction may have been completed although its answer was lost. Not what a place for files did not answer to:
   * it may still come to its bytes, and `clean` finds them later.
   */
  const takeBack = Effect.fnUntraced(
    function* (keys: ReadonlyArray<string>, cause: Cause.Cause<unknown>) {
      const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (failure instanceof AssetBytesUnavailable) return
      yield* remove(yield* store.giveUpUploads(keys))
    },
    Effect.ignoreCause({ log: "Warn" })
  )

  /** Removes what uploads have left that ended half-way, and files that others have replaced. */
  const clean = Effect.gen(function* () {
    const before = DateTime.subtract(yield* DateTime.now, abandonedAfter)
    yield* bytes.removeTemporary(before)
    yield* remove(yield* store.abandonUploads(before))
  })

  return { takeBack, clean } as const
})
