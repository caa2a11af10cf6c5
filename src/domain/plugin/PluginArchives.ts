/** The archives that supervised plugins come in. Nothing of one is used before all of it was looked at. */
import { Context, Data, type Effect } from "effect"
import type { ArchiveRefusal } from "./ArchiveLimit.ts"

/** Why an archive is not used, and because of which of its files, if it is one. */
export class ArchiveRefused extends Data.TaggedError("ArchiveRefused")<{
  readonly reason: ArchiveRefusal
  readonly file?: string
}> {}

/** The files of an archive could not be written. */
export class UnpackingFailed extends Data.TaggedError("UnpackingFailed")<{ readonly message: string }> {}

/** An archive that may be used. */
export interface InspectedArchive {
  /** The bytes of the first file that is called `manifest.json`. */
  readonly manifest: Uint8Array
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of its bytes. */
  readonly hash: Uint8Array
}

export class PluginArchives extends Context.Service<
  PluginArchives,
  {
    /** Looks at all of an archive, unpacking it to nowhere. */
    readonly inspect: (path: string) => Effect.Effect<InspectedArchive, ArchiveRefused>
    /**
     * Unpacks an archive below a directory: all of it, or nothing. What was there is gone, unless it is what was unpacked
     * from this archive.
     */
    readonly unpack: (
      path: string,
      directory: string
    ) => Effect.Effect<void, ArchiveRefused | UnpackingFailed>
  }
>()("forum/domain/PluginArchives") {}
