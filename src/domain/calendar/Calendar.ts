/** What people may do with calendar events. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AssetUnknown } from "../asset/Asset.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { type AssetId, CalendarEventId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makeContentChecks } from "../thread/ContentChecks.ts"
import { ContentBlocked } from "../thread/Post.ts"
import { makePostRemoval } from "../thread/PostRemoval.ts"
import { PostStore } from "../thread/PostStore.ts"
import { checkLength, checkMarkup, makePostText, type PostText } from "../thread/PostText.ts"
import { ThreadTitleMissing } from "../thread/Thread.ts"
import { makeThreadEdits } from "../thread/ThreadEdits.ts"
import { makeThreadOpening } from "../thread/ThreadOpening.ts"
import type { ThreadUpdate } from "../thread/ThreadStore.ts"
import {
  type CalendarEventChanges,
  CapacityTooLow,
  EventNotFound,
  type NewCalendarEvent,
  NotHost
} from "./CalendarEvent.ts"
import { mayManage, maySee, slugOfName } from "./CalendarRules.ts"
import { type CalendarEventInsert, type CalendarEventUpdate, CalendarStore } from "./CalendarStore.ts"
import { CalendarViews } from "./CalendarViews.ts"
import type { FoundEvent } from "./FoundEvent.ts"

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

/** What no change of an event leads to: the filter for words is about discussions, and events have names. */
type Impossible = ContentBlocked | ThreadTitleMissing

const unfiltered = <A, E, R>(write: Effect.Effect<A, E | Impossible, R>) =>
  Effect.catchIf(write, isImpossible, (problem) => Effect.die(new Error(problem.message)))

const isImpossible = <E>(error: E | Impossible): error is Impossible =>
  error instanceof ContentBlocked || error instanceof ThreadTitleMissing

const make = Effect.gen(function* () {
  const store = yield* CalendarStore
  const views = yield* CalendarViews
  const assets = yield* AssetStore
  const posts = yield* PostStore
  const opening = yield* makeThreadOpening
  const edits = yield* makeThreadEdits
  const removePost = yield* makePostRemoval
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const ids = yield* Ids
  const postText = yield* makePostText
  const { inspected, rules } = yield* makeContentChecks

  /** Whoever sees an event reads its text, so that the limit of published threads holds. */
  const checkTextLength = Effect.fnUntraced(function* ({ length }: PostText) {
    const { lengths } = yield* rules
    yield* checkLength(length, lengths.thread)
  })

  /** Assets are never deleted, so that this holds until the event is written. */
  const checkImage = Effect.fnUntraced(function* (id: AssetId | null | undefined) {
    if (id === undefined || id === null || (yield* assets.findByIds([id])).has(id)) return
    yield* new AssetUnknown({ metadata: { field: "primary_image_asset_id", id } })
  })

  /** Answers the id of the event. */
  const create = Effect.fn("Calendar.create")(function* (input: NewCalendarEvent) {
    const { accountId } = yield* CurrentAccount
    const thread = yield* unfiltered(
      opening.prepare(accountId, {
        title: input.name,
        body: input.content,
        category: input.thread_category_id,
        visibility: "unlisted",
        link: undefined
      })
    )
    yield* checkTextLength(thread.text)
    yield* checkImage(input.primary_image_asset_id)
    const id = CalendarEventId.make(yield* ids.next)
    const event: CalendarEventInsert = {
      id,
      at: thread.at,
      threadId: thread.id,
      hostId: accountId,
      name: input.name,
      slug: input.slug ?? slugOfName(input.name, id),
      description: input.description ?? "",
      timeRange: input.time_range,
      imageId: input.primary_image_asset_id,
      policy: input.participation_policy,
      visibility: input.visibility,
      location: input.location,
      capacity: input.capacity,
      meta: input.meta ?? {}
    }
    yield* transaction(
      opening
        .open(thread, "thread_category_id")
        .pipe(
          Effect.andThen(store.insert(event)),
          Effect.andThen(events.append(accountId, { _tag: "CalendarEventCreated", id, thread_id: thread.id }))
        )
    )
    return id
  })

  /** The event that a mark names, if the caller may change it. */
  const getOwn = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const found = yield* views.getFor(mark, actor)
    return mayManage(found, actor) ? found : yield* new NotHost()
  })

  /** The same once it and its thread are locked, the thread first, until the transaction ends. */
  const lockOwn = Effect.fnUntraced(function* (mark: string, found: FoundEvent, actor: AccountActor) {
    const post = Option.getOrUndefined(yield* posts.findForUpdate(found.threadId))
    const event = Option.getOrUndefined(yield* store.findForUpdate(found.id, actor.accountId))
    if (post === undefined || event === undefined || !maySee(event, actor)) {
      return yield* new EventNotFound({ metadata: { event_mark: mark } })
    }
    return mayManage(event, actor) ? { event, post } : yield* new NotHost()
  })

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
    yield* events.append(actor.accountId, { _tag: "CalendarEventUpdated", id: event.id })
  })

  const textOf = Effect.fnUntraced(function* (content: string | undefined) {
    if (content === undefined) return undefined
    const text = yield* postText(content)
    yield* checkMarkup(text, "thread")
    yield* checkTextLength(text)
    return text
  })

  /** Changes an event as it was found by a mark. Answers its id. */
  const update = Effect.fn("Calendar.update")(function* (
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

  /** Deletes the thread of an event; the database deletes the event with it. */
  const drop = Effect.fnUntraced(function* (mark: string, found: FoundEvent) {
    const actor = yield* CurrentAccount
    const { event, post } = yield* lockOwn(mark, found, actor)
    yield* removePost(actor.accountId, post)
    yield* events.append(actor.accountId, { _tag: "CalendarEventDeleted", id: event.id })
  })

  /** Deletes an event as it was found by a mark. */
  const remove = Effect.fn("Calendar.remove")(function* (mark: string, found: FoundEvent) {
    yield* queue(found.id, transaction(drop(mark, found)))
  })

  return { create, getOwn, update, remove } as const
})

export class Calendar extends Context.Service<Calendar, Effect.Success<typeof make>>()(
  "forum/domain/Calendar"
) {
  static readonly layer = Layer.effect(Calendar, make)
}
