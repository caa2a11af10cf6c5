import { Schema } from "effect"

/** What an image of the instance is for. */
export const ImageKind = Schema.Literals(["icon", "banner"])
export type ImageKind = typeof ImageKind.Type
