/** Where the bytes of uploaded files are: on a disk, or in a store of objects. */
import { Context, type DateTime, type Effect, type Option, type Scope, type Stream } from "effect"
import type { AssetBytesUnavailable } from "./Asset.ts"

/** The kinds of stores. A file stays in the one that it was put into. */
export type StoreKind = "disk" | "s3"

/** Where the bytes of a file are. Its key consists of letters, digits and hyphens. */
export interface FileLocation {
  readonly store: StoreKind
  readonly key: string
}

/** A part of a file, in bytes. */
export interface Part {
  readonly start: number
  readonly length: number
}

/** A file that has arrived. */
export interface Arrived {
  /** The path of the file on this machine, as long as the file is not kept and the scope is open. */
  readonly path: string
  /** Stores it durably under this key. */
  readonly keep: (key: string) => Effect.Effect<void, AssetBytesUnavailable>
}

/** A file that is read. */
export interface Opened {
  /** The size of the whole file in bytes, also if only a part is read. */
  readonly size: number
  /** The bytes of the file, or of the part that was asked for. They can be read once, while the scope is open. */
  readonly bytes: Stream.Stream<Uint8Array, AssetBytesUnavailable>
}

export class AssetBytes extends Context.Service<
  AssetBytes,
  {
    /** Where new files go. */
    readonly store: StoreKind
    /** Writes a file to a temporary place as it arrives. What is not kept is gone when the scope closes. */
    readonly receive: <E, R>(
      bytes: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<Arrived, E | AssetBytesUnavailable, R | Scope.Scope>
    readonly open: (
      place: FileLocation,
      part?: Part
    ) => Effect.Effect<Option.Option<Opened>, AssetBytesUnavailable, Scope.Scope>
    /** The path of the file on this machine, where it is put if it is elsewhere, as long as the scope is open. */
    readonly locally: (
      place: FileLocation
    ) => Effect.Effect<Option.Option<string>, AssetBytesUnavailable, Scope.Scope>
    /** Removes a file, if there is one. */
    readonly remove: (place: FileLocation) => Effect.Effect<void, AssetBytesUnavailable>
    /** Removes what began to arrive before this time and is still temporary. */
    readonly removeTemporary: (before: DateTime.Utc) => Effect.Effect<void, AssetBytesUnavailable>
  }
>()("forum/domain/AssetBytes") {}
