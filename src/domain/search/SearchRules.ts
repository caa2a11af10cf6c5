/** What a caller's search covers. Pure. */
import { type Actor, holds } from "../shared/Actor.ts"
import type { DatagraphItemKind } from "./Search.ts"

/** What search finds. */
export type SearchedKind = "thread" | "reply"

const searchedAs: Readonly<Record<DatagraphItemKind, ReadonlyArray<SearchedKind>>> = {
  post: ["thread", "reply"],
  thread: ["thread"],
  reply: ["reply"],
  node: [],
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
  const isSuspended = actor._tag === "Account" && actor.suspended
  if (isSuspended || !holds(actor, "READ_PUBLISHED_THREADS")) return []
  return asked.length === 0 ? searchedAs.post : [...new Set(asked.flatMap((kind) => searchedAs[kind]))]
}
