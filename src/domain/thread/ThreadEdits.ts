/** Changing threads, by whichever address: a thread's own, or that of its opening post. */
import { DateTime, Effect } from "effect"
import { type DomainEvent, EventLog } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import type { PostId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { type Exempt, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import type { PostState } from "./PostVisibility.ts"
import { ThreadTitleMissing } from "./Thread.ts"
import { firstSlug, lacksTitle } from "./ThreadRules.ts"
import { ThreadStore, type ThreadUpdate } from "./ThreadStore.ts"

const updateEvents = (id: PostId, before: Visibility, after: Visibility): ReadonlyArray<DomainEvent> => {
  if (before === after) return [{ _tag: "ThreadUpdated", id }]
  const transition = after === "published" ? "ThreadPublished" : "ThreadUnpublished"
  return [
    { _tag: "ThreadUpdated", id },
    { _tag: transition, id }
  ]
}

/** Changes a thread, for an actor who may change it, in a transaction that has locked it. */
export const makeThreadEdits = Effect.gen(function* () {
  const store = yield* ThreadStore
  const events = yield* EventLog
  const mentions = yield* makeMentions
  const { checkChange } = yield* makeContentChecks

  /** Whether the thread has a title if it needs one. Answers the slug that it gets with its first. */
  const checkTitle = Effect.fnUntraced(function* (
    { thread: { id, visibility: before } }: PostState,
    { title, visibility: after = before }: ThreadUpdate
  ) {
    // What is no draft has a title.
    const isDecided = before !== "draft" || (title === undefined && after === "draft")
    const heading = isDecided ? undefined : yield* store.findHeading(id)
    const next = title ?? heading?.title
    if (next !== undefined && lacksTitle(next, after)) {
      return yield* new ThreadTitleMissing({ metadata: { field: "title" } })
    }
    return heading === undefined || title === undefined ? undefined : firstSlug(id, heading, title)
  })

  const change = Effect.fnUntraced(function* (
    actor: AccountActor,
    post: PostState,
    asked: ThreadUpdate,
    inspection: Inspection,
    exempt: Exempt
  ) {
    if (Object.keys(asked).length === 0) return
    const slug = yield* checkTitle(post, asked)
    const held = yield* checkChange("thread", post, asked, inspection, exempt)
    const changes: ThreadUpdate = {
      ...asked,
      ...(held === undefined ? {} : { visibility: "review" }),
      ...(slug === undefined ? {} : { slug })
    }
    const { thread } = post
    yield* store.update(thread.id, changes, yield* DateTime.now)
    const after = { ...thread, visibility: changes.visibility ?? thread.visibility }
    const mentioned = yield* mentions.changed(post, { ...after, thread: after }, changes.text)
    yield* events.append(
      actor.accountId,
      ...updateEvents(thread.id, thread.visibility, after.visibility),
      ...(held === undefined ? [] : [heldEvent(post, held)]),
      ...mentioned
    )
  })

  return { change } as const
})
