/** What a caller's search covers. Pure. */
import { mayReadLibrary } from "../library/NodeRules.ts"
import type { Actor } from "../shared/Actor.ts"
import { mayReadThreads } from "../thread/ThreadRules.ts"
import type { DatagraphItemKind } from "../vocabulary/Kinds.ts"

/** What search finds. */
export type SearchedKind = "thread" | "reply" | "node"

const every: ReadonlyArray<SearchedKind> = ["thread", "reply", "node"]

const searchedAs: Readonly<Record<DatagraphItemKind, ReadonlyArray<SearchedKind>>> = {
  post: ["thread", "reply"],
  thread: ["thread"],
  reply: ["reply"],
  node: ["node"],
  collection: [],
  profile: [],
  event: []
}

/**
 * What to search of the kinds that are asked for; none asked for, all. Nobody is refused, but search shows
 * nothing that its caller could not read otherwise.
 */
export const decideKinds = (
  actor: Actor,
  asked: ReadonlyArray<DatagraphItemKind>
): ReadonlyArray<SearchedKind> => {
  const wanted = new Set(asked.length === 0 ? every : asked.flatMap((kind) => searchedAs[kind]))
  return every.filter(
    (kind) => wanted.has(kind) && (kind === "node" ? mayReadLibrary(actor) : mayReadThreads(actor))
  )
}
