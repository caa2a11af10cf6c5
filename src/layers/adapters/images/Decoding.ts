/** What the service asks a process that decodes images, and what this answers. */
import type { Extent } from "../../../domain/asset/Thumbnailer.ts"

export type Question =
  /** The image in the file as WebP, at most this wide and four times as high. */
  | { readonly path: string; readonly width: number }
  /** The image in the file as a PNG image of each of these sizes. */
  | { readonly path: string; readonly extents: ReadonlyArray<Extent> }

export type Answer = { readonly images: ReadonlyArray<Uint8Array> } | { readonly unreadable: string }

/** The first message of the process: from then on it answers questions. */
export const ready = "ready"
