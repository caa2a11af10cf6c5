/** Changing replies. */
import { DateTime, Effect, Option } from "effect"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import { type Exempt, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { standingOfPost, standingOfReply } from "./PostStanding.ts"
import { PostStore, type ReplyUpdate } from "./PostStore.ts"
import type { PostState } from "./PostVisibility.ts"
import { concerned } from "./ReplyWriting.ts"
import { publishedChange } from "./ThreadRules.ts"

const updateEvents = (before: PostState, after: PostState): ReadonlyArray<NewEvent> => {
  const ids = { thread_id: after.thread.id, reply_id: after.id }
  const updated: NewEvent = { _tag: "ThreadReplyUpdated", ...ids, standing: standingOfPost(after) }
  if (before.visibility === after.visibility) return [updated]
  const transition = after.visibility === "published" ? "ThreadReplyPublished" : "ThreadReplyUnpublished"
  const standing = standingOfReply(after, after.thread, before.visibility)
  return [updated, { _tag: transition, ...ids, standing }]
}

/** Changes a reply, for an actor who may change it, in a transaction that has locked its thread. */
export const makeReplyEdits = Effect.gen(function* () {
  const store = yield* PostStore
  const events = yield* EventLog
  const mentions = yield* makeMentions
  const { checkChange } = yield* makeContentChecks

  /** The event that a reply is revealed: when a held reply is published, once. */
  const reveal = Effect.fnUntraced(function* (before: PostState, after: PostState) {
    if (publishedChange(before.visibility, after.visibility) !== 1) return []
    const answered = yield* store.reveal(after)
    if (Option.isNone(answered)) return []
    return [{ _tag: "ThreadReplyRevealed", ...concerned(after, answered.value) } as const]
  })

  const change = Effect.fnUntraced(function* (
    actor: AccountActor,
    post: PostState,
    asked: ReplyUpdate,
    inspection: Inspection,
    exempt: Exempt
  ) {
    if (Object.keys(asked).length === 0) return
    const held = yield* checkChange("reply", post, asked, inspection, exempt)
    const changes: ReplyUpdate = held === undefined ? asked : { ...asked, visibility: "review" }
    yield* store.updateReply(post, changes, yield* DateTime.now)
    const after = { ...post, visibility: changes.visibility ?? post.visibility }
    const mentioned = yield* mentions.changed(post, after, changes.text)
    const heldEvents = held === undefined ? [] : [heldEvent(post, held)]
    const revealed = yield* reveal(post, after)
    yield* events.append(
      actor.accountId,
      ...updateEvents(post, after),
      ...revealed,
      ...heldEvents,
      ...mentioned
    )
  })

  return { change } as const
})
