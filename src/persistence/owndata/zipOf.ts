/** Archives as zip, written as they are read. */
import { finished, Readable } from "node:stream"
import { Effect, Fiber, Stream } from "effect"
import { ZipFile } from "yazl"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"

/** A file of an archive. */
export interface Entry<R = never> {
  readonly name: string
  readonly bytes: Stream.Stream<Uint8Array, AssetBytesUnavailable, R>
  /** Whether it becomes shorter by that; files that people upload are compressed already. */
  readonly compress: boolean
}

/** Puts a file into the archive, and waits until all of it was taken. */
export type Add = <R>(entry: Entry<R>) => Effect.Effect<void, AssetBytesUnavailable, R>

// The same whenever, and in whatever time zone, it is made.
const unchanging = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100600 }

const addTo =
  (zip: ZipFile): Add =>
  ({ bytes, compress, name }) =>
    Effect.flatMap(Stream.toAsyncIterableEffect(bytes), (iterable) =>
      Effect.callback<void, AssetBytesUnavailable>((resume) => {
        const readable = Readable.from(iterable)
        finished(readable, (error) => {
          if (error instanceof AssetBytesUnavailable) resume(Effect.fail(error))
          else resume(error ? Effect.die(error) : Effect.void)
        })
        zip.addReadStream(readable, name, { ...unchanging, compress })
        return Effect.sync(() => readable.destroy())
      })
    )

/** The bytes of an archive into which `write` puts files. */
export const zipOf = <R>(
  write: (add: Add) => Effect.Effect<void, AssetBytesUnavailable, R>
): Stream.Stream<Uint8Array, AssetBytesUnavailable, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const zip = new ZipFile()
      // What fails is a file that is read, which its own stream tells.
      zip.on("error", () => {})
      const writing = yield* Effect.forkScoped(
        Effect.tap(write(addTo(zip)), () => Effect.sync(() => zip.end()))
      )
      const bytes = Stream.fromAsyncIterable(Readable.from(zip.outputStream), (error) => error)
      return bytes.pipe(Stream.orDie, Stream.interruptWhen(Effect.andThen(Fiber.join(writing), Effect.never)))
    })
  )
