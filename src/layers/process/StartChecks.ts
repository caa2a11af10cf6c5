/** Checks, once at the start, what may be wrong with a deployment while the service can still do most of its work. */
import { Data, Effect, Layer, Option, Stream } from "effect"
import { AssetBytes } from "../../domain/asset/AssetBytes.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import { Ids } from "../../domain/shared/Ids.ts"

/** What was stored is not what is read afterwards. */
export class FilesNotStored extends Data.TaggedError("FilesNotStored") {
  override readonly message = "What is written is not there afterwards"
}

const text = "Written to see whether it can be."

/** Stores a file as uploads do, reads it and removes it. Answers the kind of the store. */
export const checkFiles = Effect.scoped(
  Effect.gen(function* () {
    const bytes = yield* AssetBytes
    const place = { store: bytes.store, key: `check-${yield* (yield* Ids).next}` }
    const arrived = yield* bytes.receive(Stream.make(new TextEncoder().encode(text)))
    yield* Effect.addFinalizer(() => Effect.ignore(bytes.remove(place)))
    yield* arrived.keep(place.key)
    const found = yield* bytes.open(place)
    if (Option.isNone(found)) return yield* new FilesNotStored()
    const parts = yield* Stream.runCollect(found.value.bytes)
    return Buffer.concat([...parts]).toString() === text ? bytes.store : yield* new FilesNotStored()
  })
)

const reportFiles = Effect.gen(function* () {
  const { report } = yield* InternalErrors
  yield* Effect.catchCause(checkFiles, (failure) =>
    report({ where: "configuration", what: "Uploaded files cannot be stored", failure })
  )
})

/** Runs the checks beside requests, which do not wait for them. */
export const live = Layer.effectDiscard(Effect.forkScoped(reportFiles))
