/** Looks for some words in the bytes of every file that the database names, and for files that are named no more. */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytes, type FileLocation } from "../../domain/asset/AssetBytes.ts"
import { thumbnailWidths } from "../../domain/asset/Thumbnailer.ts"
import { thumbnailKey } from "../../domain/asset/Thumbnails.ts"
import { AssetId } from "../../domain/shared/Id.ts"
import { orDefect } from "../../persistence/shared/SqlErrors.ts"
import { namedFiles } from "../backup/NamedFiles.ts"

/** Shorter words occur in files by chance. */
export const bytesMin = 6

const lowerCase = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1").toLowerCase()

/** Whether any of the words is in the bytes, wherever these are cut. */
export const isAnyIn = <E, R>(
  words: ReadonlyArray<string>,
  bytes: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<boolean, E, R> => {
  const wanted = words.map((word) => lowerCase(new TextEncoder().encode(word)))
  const overlap = Math.max(0, ...wanted.map(({ length }) => length - 1))
  return bytes.pipe(
    Stream.mapAccum(
      () => "",
      (before, part: Uint8Array) => {
        const text = before + lowerCase(part)
        return [text.slice(Math.max(0, text.length - overlap)), [wanted.some((word) => text.includes(word))]]
      }
    ),
    Stream.filter((found) => found),
    Stream.runHead,
    Effect.map(Option.isSome)
  )
}

const ids = /^[0-9a-v]{20}$/

/** The keys under which the bytes of a file that was removed may still be. */
const keysOf = (word: string): ReadonlyArray<string> =>
  ids.test(word) ? [word, ...thumbnailWidths.map((width) => thumbnailKey(AssetId.make(word), width))] : []

/** The files in which any of these words is, by their keys, and how many were looked at. */
export const searchFiles = Effect.fn("searchFiles")(function* (words: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const bytes = yield* AssetBytes
  const named = yield* orDefect(sql.unsafe<FileLocation>(`select key, store from ${namedFiles} f`))
  const long = words.filter((word) => new TextEncoder().encode(word).length >= bytesMin)

  const opened = <A, E, R>(
    place: FileLocation,
    use: (file: Stream.Stream<Uint8Array, unknown>) => Effect.Effect<A, E, R>
  ) =>
    Effect.scoped(
      Effect.flatMap(bytes.open(place), (file) =>
        Option.isNone(file)
          ? Effect.succeed(Option.none<A>())
          : Effect.map(use(file.value.bytes), Option.some)
      )
    )

  const containing = yield* Effect.filter(named, (place) =>
    Effect.map(
      opened(place, (file) => isAnyIn(long, file)),
      (found) => Option.getOrElse(found, () => false)
    )
  )
  const left = yield* Effect.filter(words.flatMap(keysOf), (key) =>
    Effect.map(
      opened({ store: bytes.store, key }, () => Effect.void),
      Option.isSome
    )
  )
  return { files: named.length, found: [...new Set([...containing.map(({ key }) => key), ...left])] }
})
