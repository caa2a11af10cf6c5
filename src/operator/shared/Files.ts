/** The files of the service as bytes that can be waited for one after the other. */
import { createHash } from "node:crypto"
import { Effect, Exit, Option, Scope, Stream } from "effect"
import { AssetBytes, type FileLocation } from "../../domain/asset/AssetBytes.ts"

interface OpenFile {
  /** None, if it is nowhere. */
  readonly file: { readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | undefined
  readonly close: () => Promise<void>
}

const hashOf = async (bytes: AsyncIterable<Uint8Array>) => {
  const hash = createHash("sha256")
  for await (const part of bytes) hash.update(part)
  return hash.digest("hex")
}

export const makeFiles = Effect.gen(function* () {
  const bytes = yield* AssetBytes
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  /** Opens a file, if it is anywhere, until it is closed. */
  const open = async (place: FileLocation): Promise<OpenFile> => {
    const scope = Scope.makeUnsafe()
    const close = () => run(Scope.close(scope, Exit.void))
    try {
      const found = Option.getOrUndefined(await run(Scope.provide(bytes.open(place), scope)))
      const file = found && { size: found.size, bytes: Stream.toAsyncIterable(found.bytes) }
      return { file, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  /** Stores a file under its key. */
  const write = (key: string, from: AsyncIterable<Uint8Array>) =>
    run(
      Effect.scoped(
        Effect.flatMap(bytes.receive(Stream.fromAsyncIterable(from, (error) => error)), (arrived) =>
          arrived.keep(key)
        )
      )
    )

  /** The SHA-256 of a file, in hexadecimal digits; none, if it is nowhere. */
  const findHash = async (key: string) => {
    const { close, file } = await open({ store: bytes.store, key })
    try {
      return file && (await hashOf(file.bytes))
    } finally {
      await close()
    }
  }

  const remove = (key: string) => run(bytes.remove({ store: bytes.store, key }))

  return { store: bytes.store, findHash, open, remove, write } as const
})

export type Files = Effect.Success<typeof makeFiles>
