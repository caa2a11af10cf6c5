/** The names of uploaded files. */
import { slugify, slugWithin } from "../shared/Slug.ts"

/** The characters that the name of a file has at most. */
export const nameMax = 255

/** The name of files that come without one. */
export const untitled = "untitled"

/** The name in addresses: the slug of the id and the name; dots become hyphens. */
export const storedNameOf = (id: string, name: string): string => {
  const slug = slugify(`${id}-${name}`)
  // Compatibility characters can make a slug many times as long as the name.
  return Array.from(slug).length <= id.length + 1 + nameMax ? slug : `${id}-${slugWithin(name, nameMax)}`
}

/** The name that a file has for people: what follows the folders that some programs send with it. */
export const fileNameOf = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1)?.trim() ?? ""
  return last === "" || last === "." || last === ".." ? untitled : last
}

/** The end of a name that tells the kind of file, in lower case, without the dot; empty if there is none. */
export const extensionOf = (name: string): string =>
  /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ""

/** A name in an address: the id that it begins with, and its slug. */
export const readAssetName = (name: string): { readonly id: string; readonly slug: string } | undefined => {
  const slug = slugify(name)
  const id = /^[0-9a-v]{20}(?=-|$)/.exec(slug)?.[0]
  return id === undefined ? undefined : { id, slug }
}
