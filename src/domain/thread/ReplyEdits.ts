/** Changing replies. */
import { DateTime, Effect, Option } from "effect"
import { type DomainEvent, EventLog } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import { type Exempt, heldEvent, type Inspection, makeContentChecks } from "./ContentChecks.ts"
import { makeMentions } from "./Mentions.ts"
import { PostStore, type ReplyUpdate } from "./PostStore.ts"
import type { PostState } from "./PostVisibility.ts"
import { concerned } from "./ReplyWriting.ts"
import { publishedChange } from "./ThreadRules.ts"

const updateEvents = (
  post: PostState,
  { visibility }: Pick<ReplyUpdate, "visibility">
): ReadonlyArray<DomainEvent> => {
  const ids = { thread_id: post.thread.id, reply_id: post.id }
  const updated: DomainEvent = { _tag: "ThreadReplyUpdated", ...ids }
  if (visibility === undefined || visibility === post.visibility) return [updated]
  const transition = visibility === "published" ? "ThreadReplyPublished" : "ThreadReplyUnpublished"
  return [updated, { _tag: transition, ...ids }]
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
      ...updateEvents(post, changes),
      ...revealed,
      ...heldEvents,
      ...mentioned
    )
  })

  return { change } as const
})
