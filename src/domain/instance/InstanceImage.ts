/** The images that stand for an instance, and the sizes that they have. */

import { Schema } from "effect"
import type { ImageKind } from "../vocabulary/Kinds.ts"

/** The names of the sizes are what clients ask for: the width and height in pixels. */
export const iconSizes = ["512x512", "32x32", "180x180", "120x120", "167x167", "152x152"] as const

export const bannerSize = "1200x630"

export const IconSize = Schema.Literals(iconSizes).annotate({
  description: "Width and height in pixels"
})

/** The sizes that an uploaded image is made in. */
export const sizesOf: { readonly [Kind in ImageKind]: ReadonlyArray<string> } = {
  icon: iconSizes,
  banner: [bannerSize]
}

/** What the name of a size says. */
export const extentOf = (name: string) => {
  const [width = 0, height = 0] = name.split("x").map(Number)
  return { name, width, height }
}
