/** Which files a theme may have. Pure. */
import type { StoredAsset } from "../asset/AssetStore.ts"
import { type ThemeChange, type ThemeList, themeLimits } from "./Theme.ts"

export const themeLists = ["stylesheets", "scripts"] as const satisfies ReadonlyArray<ThemeList>

/** The type of a file follows from its contents and from the end of its name: see `ContentType.ts`. */
const typeOf: { readonly [List in ThemeList]: string } = {
  stylesheets: "text/css",
  scripts: "text/javascript"
}

/** The types of all files that a theme may have. */
export const themeTypes: ReadonlySet<string> = new Set(Object.values(typeOf))

export type Refusal = "type" | "empty" | "too_large"

/** What keeps a file from being in this list, if anything does. */
export const findRefusal = (
  list: ThemeList,
  { mimeType, size }: Pick<StoredAsset, "mimeType" | "size">
): Refusal | undefined => {
  if (mimeType !== typeOf[list]) return "type"
  if (size === 0) return "empty"
  return size > themeLimits.bytes ? "too_large" : undefined
}

/** A place in a theme. */
export interface Listed {
  readonly list: ThemeList
  readonly id: string
}

/** Every file that is asked for, each once in a list, in its first place. */
export const listedIn = (change: ThemeChange): ReadonlyArray<Listed> =>
  themeLists.flatMap((list) => [...new Set(change[list])].map((id) => ({ list, id })))
