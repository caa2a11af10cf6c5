/** Makes HTML of the texts of another program. */
import { htmlOf } from "../markup/Markdown.ts"
import { textOf } from "./Fields.ts"
import type { Scratch } from "./Scratch.ts"

/** What addresses of the old forum lead to. */
export interface Addresses {
  readonly findAddress: (address: string) => string | undefined
  readonly findPost: (topic: string, post: string) => string | undefined
}

/** `kind` is what the program calls people. */
export const makeTexts = (scratch: Scratch, people: string, { findAddress, findPost }: Addresses) => {
  const findPerson = (name: string) => {
    const row = scratch.find(
      "select new_id(?, id) as id from handles where name = ?1x or handle = ?1x".replaceAll("?1x", "?2"),
      people,
      name.toLowerCase()
    )
    return row === undefined ? undefined : textOf(row.id)
  }
  return {
    findPerson,
    /** The HTML of a text of a thing, which the report names by its kind and id. */
    htmlOf: (text: unknown, kind: string, id: unknown): string => {
      const given = textOf(text)
      return given === ""
        ? ""
        : htmlOf(given, { findPerson, findPost, findAddress, tell: (rule) => scratch.tell(kind, id, rule) })
    }
  } as const
}

export type Texts = ReturnType<typeof makeTexts>

/** The path of an address below the old forum; none of an address elsewhere. */
export const pathBelow = (base: string | undefined, address: string): string | undefined => {
  if (address.startsWith("/") && !address.startsWith("//")) return address
  if (base === undefined) return undefined
  const without = (text: string) => text.replace(/^https?:\/\//i, "//").replace(/\/+$/, "")
  const [root, given] = [without(base), without(address)]
  return given.startsWith(`${root}/`) ? given.slice(root.length) : undefined
}
