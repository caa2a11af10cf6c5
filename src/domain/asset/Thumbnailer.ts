/** Makes images of other sizes, if this installation can. */
import { Context, type Effect, type Option } from "effect"

/** The widths that there are, in pixels. */
export const thumbnailWidths = [64, 160, 320, 640, 1280] as const

/** The type of all thumbnails. */
export const thumbnailType = "image/webp"

/** Images with more pixels are not decoded: each takes four bytes meanwhile. */
export const pixelsMax = 40_000_000

/** The size of an image in pixels. */
export interface Extent {
  readonly width: number
  readonly height: number
}

export class Thumbnailer extends Context.Service<
  Thumbnailer,
  {
    readonly isAvailable: boolean
    /** The image in the file, at most this wide and four times as high; nothing if it cannot be read. */
    readonly make: (path: string, width: number) => Effect.Effect<Option.Option<Uint8Array>>
    /**
     * The image in the file as a PNG image of exactly each of these sizes, cut at its longer sides where it has other
     * proportions; nothing if it cannot be read.
     */
    readonly render: (
      path: string,
      extents: ReadonlyArray<Extent>
    ) => Effect.Effect<Option.Option<ReadonlyArray<Uint8Array>>>
  }
>()("forum/domain/Thumbnailer") {}
