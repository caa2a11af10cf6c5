/** In which order a backup has what, by its beginning. Pure. */

import { damaged } from "../shared/Tar.ts"
import {
  checksumsName,
  keyName,
  keyOfFile,
  type Manifest,
  partName,
  sequencesName,
  type Table,
  totalsName
} from "./Manifest.ts"

/** What a member of a backup is. */
export type Place =
  | { readonly kind: "key" | "sequences" | "totals" }
  | { readonly kind: "rows"; readonly table: Table }
  | { readonly kind: "file"; readonly key: string }

/** Says what each name stands for, as it comes; fails for one that is not there, not now, or not again. */
export const makeLayout = ({ encryption_key, tables }: Manifest) => {
  let stage: "key" | "rows" | "files" | "complete" = encryption_key.is_included ? "key" : "rows"
  let table = 0
  let part = 0
  let lastKey = ""

  const findRows = (name: string): Place | undefined => {
    // Tables without rows have no part.
    for (let at = table; at < tables.length; at += 1) {
      const found = tables[at]
      const expected = at === table ? part + 1 : 1
      if (found !== undefined && name === partName(found.name, expected)) {
        table = at
        part = expected
        return { kind: "rows", table: found }
      }
    }
    return undefined
  }

  const findFile = (name: string): Place | undefined => {
    const key = keyOfFile(name)
    // Each is after the one before it, so none is there twice.
    if (key === undefined || key <= lastKey) return undefined
    lastKey = key
    return { kind: "file", key }
  }

  const find = (name: string): Place | undefined => {
    if (stage === "key") {
      stage = "rows"
      return name === keyName ? { kind: "key" } : undefined
    }
    if (stage === "rows" && name === sequencesName) {
      stage = "files"
      return { kind: "sequences" }
    }
    if (stage === "files" && name === totalsName) {
      stage = "complete"
      return { kind: "totals" }
    }
    if (stage === "rows") return findRows(name)
    return stage === "files" ? findFile(name) : undefined
  }

  return {
    next: (name: string): Place => {
      const found = find(name)
      if (found === undefined) throw damaged("it has something that does not belong there")
      return found
    },
    /** Fails unless this is the name of a list of checksums. */
    checkList: (name: string, number: number) => {
      if (name !== checksumsName(number)) throw damaged("a list of checksums is missing")
    },
    /** Whether all was there, lists of checksums aside. */
    isComplete: () => stage === "complete"
  } as const
}
