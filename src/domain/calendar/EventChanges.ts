import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makeContentChecks } from "../thread/ContentChecks.ts"
import { checkMarkup, makePostText, type PostText } from "../thread/PostText.ts"
import { makeThreadEdits } from "../thread/ThreadEdits.ts"
import type { ThreadUpdate } from "../thread/ThreadStore.ts"
import { type CalendarEventChanges, CapacityTooLow, type FoundEvent } from "./CalendarEvent.ts"
import { type CalendarEventUpdate, CalendarStore } from "./CalendarStore.ts"
import { makeEventAccess } from "./EventAccess.ts"
import { makeEventChecks, unfiltered } from "./EventChecks.ts"
import { isForAttendees, publicationOf, standingOfEvent } from "./EventPublication.ts"

/** What of a request's changes concerns the event itself. */
const updateOf = (changes: CalendarEventChanges): CalendarEventUpdate => {
  const { content: _, participation_policy, primary_image_asset_id, time_range, ...same } = changes
  return {
    ...same,
    ...(participation_policy === undefined ? {} : { policy: participation_policy }),
    ...(primary_image_asset_id === undefined ? {} : { imageId: primary_image_asset_id }),
    ...(time_range === undefined ? {} : { timeRange: time_range })
  }
}

const threadUpdateOf = ({ name }: CalendarEventChanges, text: PostText | undefined): ThreadUpdate => ({
  ...(name === undefined ? {} : { title: name }),
  ...(text === undefined ? {} : { text })
})

/** Changes events, and with them the opening posts of their threads. */
export const makeEventChanges = Effect.gen(function* () {
  const store = yield* CalendarStore
  const edits = yield* makeThreadEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const postText = yield* makePostText
  const { inspected } = yield* makeContentChecks
  const { lockOwn } = yield* makeEventAccess
  const { checkImage, checkTextLength } = yield* makeEventChecks

  const change = Effect.fnUntraced(function* (
    mark: string,
    found: FoundEvent,
    changes: CalendarEventChanges,
    text: PostText | undefined
  ) {
    const actor = yield* CurrentAccount
    const { event, post } = yield* lockOwn(mark, found, actor)
    const { attending } = event.counts
    const capacity = changes.capacity ?? Number.POSITIVE_INFINITY
    if (capacity < attending) return yield* new CapacityTooLow({ metadata: { capacity, attending } })
    yield* unfiltered(edits.change(actor, post, threadUpdateOf(changes, text), yield* inspected({}), "all"))
    yield* store.update(event.id, updateOf(changes), yield* DateTime.now)
    const { hosts, id, visibility: before } = event
    const visibility = changes.visibility ?? before
    const attendees = isForAttendees(before, visibility) ? yield* store.attendees(id) : []
    const standing = standingOfEvent(visibility, before, { hosts, attendees })
    yield* events.append(
      actor.accountId,
      { _tag: "CalendarEventUpdated", id, standing },
      ...publicationOf(id, before, standing)
    )
  })

  const textOf = Effect.fnUntraced(function* (content: string | undefined) {
    if (content === undefined) return undefined
    const text = yield* postText(content)
    yield* checkMarkup(text, "thread")
    yield* checkTextLength(text)
    return text
  })

  /** Changes an event as it was found by a mark. Answers its id. */
  return Effect.fn("Calendar.update")(function* (
    mark: string,
    found: FoundEvent,
    changes: CalendarEventChanges
  ) {
    if (Object.keys(changes).length === 0) return found.id
    const text = yield* textOf(changes.content)
    yield* checkImage(changes.primary_image_asset_id)
    yield* queue(found.id, transaction(change(mark, found, changes, text)))
    return found.id
  })
})
