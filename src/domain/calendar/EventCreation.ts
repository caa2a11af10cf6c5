import { Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { CalendarEventId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { makeThreadOpening } from "../thread/ThreadOpening.ts"
import type { NewCalendarEvent } from "./CalendarEvent.ts"
import { slugOfName } from "./CalendarRules.ts"
import { type CalendarEventInsert, CalendarStore } from "./CalendarStore.ts"
import { makeEventChecks, unfiltered } from "./EventChecks.ts"
import { publicationOf, standingOfEvent } from "./EventPublication.ts"

/** Creates events, each with its thread. */
export const makeEventCreation = Effect.gen(function* () {
  const store = yield* CalendarStore
  const opening = yield* makeThreadOpening
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const { checkImage, checkTextLength } = yield* makeEventChecks

  /** Answers the id of the event. */
  return Effect.fn("Calendar.create")(function* (input: NewCalendarEvent) {
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
    const standing = standingOfEvent(input.visibility, undefined, { hosts: [accountId], attendees: [] })
    yield* transaction(
      opening
        .open(thread, "thread_category_id")
        .pipe(
          Effect.andThen(store.insert(event)),
          Effect.andThen(
            events.append(
              accountId,
              { _tag: "CalendarEventCreated", id, thread_id: thread.id, standing },
              ...publicationOf(id, undefined, standing)
            )
          )
        )
    )
    return id
  })
})
