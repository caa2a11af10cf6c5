/** Removing what an account made, one after the other. */
import { Effect } from "effect"
import { PurgeStore, type QueuedContent, type TakenPurge } from "./PurgeStore.ts"
import { makeRemovals } from "./Removals.ts"

/** One thing to remove. What is gone already needs nothing. */
export interface Step {
  readonly id: string
  readonly remove: Effect.Effect<void, unknown>
}

export const makePurgeSteps = Effect.gen(function* () {
  const store = yield* PurgeStore
  const { collection, like, node, post, react } = yield* makeRemovals

  /** Answers the steps that remove the next few things of an entry, except those in `but`. */
  return (
    { accountId, content, enactedBy: by, requestedAt }: TakenPurge,
    but: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Step>> => {
    const search = { accountId, until: requestedAt, but }
    const next: Readonly<Record<QueuedContent, Effect.Effect<ReadonlyArray<Step>>>> = {
      threads: Effect.map(store.threads(search), (ids) => ids.map((id) => ({ id, remove: post(by, id) }))),
      replies: Effect.map(store.replies(search), (ids) => ids.map((id) => ({ id, remove: post(by, id) }))),
      likes: Effect.map(store.likes(search), (found) =>
        found.map((ids) => ({ id: ids.postId, remove: like(by, accountId, ids) }))
      ),
      reacts: Effect.map(store.reacts(search), (found) =>
        found.map((ids) => ({ id: ids.id, remove: react(by, ids) }))
      ),
      nodes: Effect.map(store.nodes(search), (ids) => ids.map((id) => ({ id, remove: node(by, id) }))),
      collections: Effect.map(store.collections(search), (ids) =>
        ids.map((id) => ({ id, remove: collection(by, id) }))
      )
    }
    return next[content]
  }
})
