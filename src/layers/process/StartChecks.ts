/** Checks, once at the start, what may be wrong with a deployment while the service can still do most of its work. */
import { Data, Effect, Layer, Option, Stream } from "effect"
import { AssetBytes } from "../../domain/asset/AssetBytes.ts"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import { Ids } from "../../domain/shared/Ids.ts"
import { SigningKeys } from "../../domain/signing/SigningKeys.ts"

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

/** What to do where the key that encrypted others is lost. */
export const lostKeyTodo =
  "Where that key is lost, run: forum oauth rotate-key --now, which makes another signing key and ends all access tokens"

/** Makes the first key that signs tokens, or says what to do if the one that signs cannot be read. */
const reportKeys = Effect.gen(function* () {
  const { report } = yield* InternalErrors
  const { prepare } = yield* SigningKeys
  const what = "Tokens cannot be signed"
  yield* prepare.pipe(
    Effect.catch(({ message }) => {
      const reason = `${message}. ${lostKeyTodo}.`
      return report({ where: "configuration", what, failure: reason, about: { reason } })
    }),
    Effect.catchCause((failure) => report({ where: "configuration", what, failure }))
  )
})

/** Runs the checks beside requests, which do not wait for them. */
export const live = Layer.effectDiscard(
  Effect.andThen(Effect.forkScoped(reportFiles), Effect.forkScoped(reportKeys))
)
