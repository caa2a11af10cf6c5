/** Makes small images of large ones, if this installation can. */
import { Context, type Effect, type Option } from "effect"

/** The widths that there are, in pixels. */
export const thumbnailWidths = [64, 160, 320, 640, 1280] as const

/** The type of all thumbnails. */
export const thumbnailType = "image/webp"

/** Images with more pixels stay as they are: each pixel takes four bytes while it is decoded. */
export const pixelsMax = 40_000_000

export class Thumbnailer extends Context.Service<
  Thumbnailer,
  {
    readonly isAvailable: boolean
    /** The image in the file, at most this wide and four times as high; nothing if it cannot be read. */
    readonly make: (path: string, width: number) => Effect.Effect<Option.Option<Uint8Array>>
  }
>()("forum/domain/Thumbnailer") {}
