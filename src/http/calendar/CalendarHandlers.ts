import { Effect, Option } from "effect"
import { Calendar } from "../../domain/calendar/Calendar.ts"
import {
  type CalendarEventChanges,
  type CalendarEventListResult,
  EventNotFound
} from "../../domain/calendar/CalendarEvent.ts"
import { CalendarViews } from "../../domain/calendar/CalendarViews.ts"
import { Participants } from "../../domain/calendar/Participants.ts"
import { ForumApi } from "../Api.ts"
import { joined } from "../bytes/Template.ts"
import { makeFeedLinks } from "../pipeline/FeedLinks.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"
import { jsonBytes, makeThreadPages } from "../thread/ThreadPages.ts"
import { AddressedEvent } from "./CalendarAccess.ts"

export const layer = group(
  ForumApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const calendar = yield* Calendar
    const views = yield* CalendarViews
    const participants = yield* Participants
    const threads = yield* makeThreadPages
    const links = yield* makeFeedLinks

    /** An event; the text of its thread is written as for the thread itself. */
    const get = Effect.fnUntraced(function* (mark: string) {
      const { discussion, event } = yield* views.get(mark)
      const { body: thread } = yield* threads
        .page(discussion)
        .pipe(Effect.catchTag("ThreadNotFound", () => new EventNotFound({ metadata: { event_mark: mark } })))
      return jsonBytes(joined([`${JSON.stringify(event).slice(0, -1)},"thread":`, thread, "}"]))
    })

    // Encoding the profiles of a thousand participants by schema costs more than reading them.
    const written = (found: CalendarEventListResult) => jsonBytes(joined([JSON.stringify(found)]))

    const addressed = Effect.fnUntraced(function* (mark: string) {
      const event = Option.getOrUndefined(yield* AddressedEvent)
      return event ?? (yield* new EventNotFound({ metadata: { event_mark: mark } }))
    })

    const update = Effect.fnUntraced(function* (mark: string, changes: CalendarEventChanges) {
      return yield* get(yield* calendar.update(mark, yield* addressed(mark), changes))
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* (request) {
        yield* links.calendar("/events.ics")
        return written(yield* inPages(request, (place) => views.list(request.query.q, place)))
      }),
      create: ({ payload }) => Effect.flatMap(calendar.create(payload), get),
      get: ({ params }) => get(params.event_mark),
      update: ({ params, payload }) => update(params.event_mark, payload),
      delete: ({ params: { event_mark } }) =>
        Effect.flatMap(addressed(event_mark), (event) => calendar.remove(event_mark, event)),
      setParticipant: ({ params, payload }) =>
        participants.set(params.event_mark, params.account_id, payload),
      removeParticipant: ({ params }) => participants.remove(params.event_mark, params.account_id)
    })
  })
)
