/** Opening threads, be it by themselves or as the discussion of something else. */
import { DateTime, Effect } from "effect"
import { CategoryStore } from "../category/CategoryStore.ts"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import type { Held } from "../filter/ContentFilter.ts"
import { type AccountId, PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import { heldBy, heldEvent, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { standingOfThread } from "./PostStanding.ts"
import { checkLength, checkMarkup, makePostText, type PostText } from "./PostText.ts"
import type { NewThread } from "./Thread.ts"
import { threadSlug } from "./ThreadRules.ts"
import { type ThreadInsert, ThreadStore } from "./ThreadStore.ts"

/** What a thread is opened with. */
export interface Opening extends Omit<NewThread, "url"> {
  readonly link: LinkAddress | undefined
}

/** A thread that is ready to be opened, and why it is held for review, if it is. */
interface PreparedThread extends ThreadInsert {
  readonly held: Held | undefined
}

const eventsOf = (thread: PreparedThread): ReadonlyArray<NewEvent> => {
  const { held, id, visibility } = thread
  if (held !== undefined) return [heldEvent({ id, thread: { id } }, held)]
  return visibility === "published"
    ? [{ _tag: "ThreadPublished", id, standing: standingOfThread(thread) }]
    : []
}

export const makeThreadOpening = Effect.gen(function* () {
  const store = yield* ThreadStore
  const categories = yield* CategoryStore
  const mentions = yield* makeMentions
  const events = yield* EventLog
  const ids = yield* Ids
  const postText = yield* makePostText
  const { inspected, rules } = yield* makeContentChecks

  /** What is not published is checked when it is. Answers why the thread is held, if it is. */
  const checkPublished = Effect.fnUntraced(function* (title: string, text: PostText) {
    const { lengths } = yield* rules
    yield* checkLength(text.length, lengths.thread)
    return yield* heldBy((yield* inspected({ title, text })).verdict)
  })

  /** The thread to open, with its text read: before any transaction. */
  const prepare = Effect.fnUntraced(function* (
    authorId: AccountId,
    { body, category, link, meta, pinned, tags, title, visibility = "draft" }: Opening
  ) {
    const text = yield* postText(body ?? "")
    yield* checkMarkup(text, "thread")
    const held = visibility === "published" ? yield* checkPublished(title, text) : undefined
    const id = PostId.make(yield* ids.next)
    return {
      id,
      at: yield* DateTime.now,
      authorId,
      title,
      slug: threadSlug(id, title),
      text,
      category,
      tags: tags ?? [],
      visibility: held === undefined ? visibility : "review",
      held,
      pinned: pinned ?? 0,
      link,
      meta: meta ?? {}
    } satisfies PreparedThread
  })

  /** Opens a thread, as part of a transaction. Problems name the field of the request that has the category. */
  const open = Effect.fnUntraced(function* (thread: PreparedThread, categoryField: string) {
    if (thread.category !== undefined) yield* categories.checkForUse(categoryField, thread.category)
    yield* store.insert(thread)
    const mentioned = yield* mentions.created({ ...thread, thread }, thread.text)
    yield* events.append(thread.authorId, ...eventsOf(thread), ...mentioned)
  })

  return { prepare, open } as const
})
