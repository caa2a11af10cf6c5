/** The room on the disk on which files arrive, and how much of it is kept for everything else. */
import { Context, Effect, Stream } from "effect"
import { Problem } from "../shared/Problem.ts"

export const DiskSpace = Context.Reference<{
  /** The bytes that were free a moment ago; undefined where nobody can tell. */
  readonly free: Effect.Effect<number | undefined>
  /** What files leave free, in bytes; 0 for nothing. */
  readonly reserve: number
}>("forum/domain/DiskSpace", { defaultValue: () => ({ free: Effect.undefined, reserve: 0 }) })

/** How much of the disk is free, and how much should be, where too little is. */
export interface Shortage {
  readonly free: number
  readonly reserve: number
}

export class StorageFull extends Problem<StorageFull>()("StorageFull", {
  status: 507,
  title: "The service has no room for files right now",
  explanation:
    "Little of the disk is free, and that is kept for the database and whatever else the service writes. Nothing of this file was kept. Everything else works. Files are taken again as soon as who operates the service has made room, so that it is of no use to repeat the request at once."
}) {}

// A file is looked at again after so many bytes. Files that arrive together may go below the reserve by a second of what they bring.
const step = 1024 * 1024

export const makeDiskReserve = Effect.gen(function* () {
  const { free, reserve } = yield* DiskSpace

  /** How much is free and how much should be, if too little is free; undefined if enough is. */
  const findShortage: Effect.Effect<Shortage | undefined> =
    reserve === 0
      ? Effect.undefined
      : Effect.map(free, (bytes) =>
          bytes === undefined || bytes >= reserve ? undefined : { free: bytes, reserve }
        )

  const check = Effect.flatMap(findShortage, (shortage) =>
    shortage === undefined ? Effect.void : Effect.fail(new StorageFull())
  )

  /** Passes the bytes of a file on, and fails as soon as there is no room for more. */
  const guard = <E, R>(
    bytes: Stream.Stream<Uint8Array, E, R>
  ): Stream.Stream<Uint8Array, E | StorageFull, R> =>
    Stream.suspend(() => {
      let unchecked = 0
      return Stream.tap(bytes, (part) => {
        unchecked += part.length
        if (unchecked < step) return Effect.void
        unchecked = 0
        return check
      })
    })

  return { findShortage, check, guard } as const
})
