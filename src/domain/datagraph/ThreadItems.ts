/** Threads that other content refers to, as a viewer may read them. */
import { Effect } from "effect"
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { PostId } from "../shared/Id.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { leavingOutOfThread } from "../thread/PostOmission.ts"
import { PostStore } from "../thread/PostStore.ts"
import type { Thread, ThreadInPart } from "../thread/Thread.ts"
import { type Liked, type ThreadReferenceContent, threadFor } from "../thread/ThreadContent.ts"
import { mayReadThread } from "../thread/ThreadRules.ts"
import { ThreadStore, type WantedThread } from "../thread/ThreadStore.ts"
import { type ListedSummary, pageSize, stateFor, tagSize } from "../thread/ThreadSummary.ts"
import type { DatagraphItemThread } from "./DatagraphItem.ts"

/** A thread and about how many bytes of an answer its parts take. */
export interface SizedThread {
  readonly summary: ListedSummary
  readonly sizes: ReadonlyArray<number>
}

const threadOf = (content: ThreadReferenceContent, summary: ListedSummary, viewer: Actor): Thread => {
  const state = stateFor(summary, viewer)
  const liked: Liked = summary.hasLikes ? new Set([summary.id]) : new Set()
  const thread = threadFor(content, state, liked)
  const total = thread.reply_status.replies
  const envelope = pageEnvelope({ current: 1, size: pageSize, total, results: 0 })
  return { ...thread, recomentations: [], replies: { ...envelope, replies: [] } }
}

export const makeThreadItems = Effect.gen(function* () {
  const posts = yield* PostStore
  const threads = yield* ThreadStore

  /** The threads of these ids that the viewer may read, in the order of the ids. */
  const readableHeads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const found = yield* threads.findHeads(ids, accountIdOf(viewer))
    const byId = new Map(found.map((summary) => [summary.id, summary]))
    return ids.flatMap((id) => {
      const summary = byId.get(id)
      return summary !== undefined && mayReadThread(summary, viewer) ? [summary] : []
    })
  })

  /** Threads that the viewer may read as items. Their replies are counted but not read. */
  const findThreads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const readable = yield* readableHeads(ids, viewer)
    const byId = new Map(readable.map((summary) => [summary.id, summary]))
    return new Map<PostId, DatagraphItemThread>(
      (yield* threads.references(readable)).flatMap((content) => {
        const summary = byId.get(content.shared.id)
        return summary === undefined
          ? []
          : [[summary.id, { kind: "thread", ref: threadOf(content, summary, viewer) }]]
      })
    )
  })

  /** The parts of threads that the viewer may read, with what they take as `postPartNames` orders them. */
  const sizedThreads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const readable = yield* readableHeads(ids, viewer)
    const sizes = yield* posts.sizesOf(readable.map(({ id }) => id))
    return readable.map((summary): SizedThread => {
      const [meta = 0, reacts = 0, text = 0] = sizes.get(summary.id) ?? []
      return { summary, sizes: [meta, reacts + tagSize * summary.tagIds.length, text] }
    })
  })

  /** Threads with so many of their parts. */
  const threadsInPart = (wanted: ReadonlyArray<WantedThread>, viewer: Actor) => {
    const byId = new Map(wanted.map(({ summary }) => [summary.id, summary]))
    return Effect.map(
      threads.referencesInPart(wanted),
      (found) =>
        new Map<PostId, ThreadInPart>(
          found.flatMap(({ omitted, reference }) => {
            const summary = byId.get(reference.shared.id)
            return summary === undefined
              ? []
              : [[summary.id, leavingOutOfThread(threadOf(reference, summary, viewer), omitted)]]
          })
        )
    )
  }

  return { findThreads, sizedThreads, threadsInPart } as const
})
