/** Changing threads, by whichever address: a thread's own, or that of its opening post. */
import { DateTime, Effect } from "effect"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { type Exempt, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { standingOfThread } from "./PostStanding.ts"
import type { PostState, ThreadState } from "./PostVisibility.ts"
import { ThreadTitleMissing } from "./Thread.ts"
import { firstSlug, lacksTitle } from "./ThreadRules.ts"
import { ThreadStore, type ThreadUpdate } from "./ThreadStore.ts"

const updateEvents = (before: Visibility, after: ThreadState): ReadonlyArray<NewEvent> => {
  const { id, visibility } = after
  const updated: NewEvent = { _tag: "ThreadUpdated", id, standing: standingOfThread(after) }
  if (before === visibility) return [updated]
  const transition = visibility === "published" ? "ThreadPublished" : "ThreadUnpublished"
  return [updated, { _tag: transition, id, standing: standingOfThread(after, before) }]
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
      ...updateEvents(thread.visibility, after),
      ...(held === undefined ? [] : [heldEvent(post, held)]),
      ...mentioned
    )
  })

  return { change } as const
})
