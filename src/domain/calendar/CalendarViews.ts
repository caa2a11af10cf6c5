/** Reading calendar events: those that the caller may see. */
import { Context, Effect, Layer, Option } from "effect"
import { type Actor, CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { parseMark } from "../shared/Mark.ts"
import { searchForm } from "../text/SearchText.ts"
import { ThreadViews } from "../thread/ThreadViews.ts"
import { type CalendarEventListResult, type CalendarEventReference, EventNotFound } from "./CalendarEvent.ts"
import { mayAddress, readableBy, withinSignatures } from "./CalendarRules.ts"
import { CalendarStore, pageSize } from "./CalendarStore.ts"

/** What to look for; a text of nothing but spaces and the like narrows nothing. */
const searched = (q: string | undefined): string | undefined => {
  const text = searchForm(q ?? "").trim()
  return text === "" ? undefined : text
}

const withoutLongSignatures = (
  events: ReadonlyArray<CalendarEventReference>
): ReadonlyArray<CalendarEventReference> => {
  const shown = withinSignatures(events.map(({ participants }) => participants))
  return events.map((event, place) => ({ ...event, participants: shown[place] ?? [] }))
}

const make = Effect.gen(function* () {
  const store = yield* CalendarStore
  const threads = yield* ThreadViews

  const notFound = (mark: string) => new EventNotFound({ metadata: { event_mark: mark } })

  /** The event that a mark names, if the actor may see it or, to leave it, takes part in it. */
  const getFor = Effect.fnUntraced(function* (mark: string, actor: Actor, purpose: "see" | "leave" = "see") {
    const found = yield* store.find(parseMark(mark), readableBy(actor).viewer)
    const event = Option.getOrUndefined(found)
    return event !== undefined && mayAddress(event, actor, purpose) ? event : yield* notFound(mark)
  })

  /** The event with its discussion. */
  const get = Effect.fn("CalendarViews.get")(function* (mark: string) {
    const found = yield* getFor(mark, yield* CurrentActor)
    const [event, discussion] = yield* Effect.all(
      [store.complete(found), threads.discussion(found.threadId)],
      { concurrency: "unbounded" }
    ).pipe(Effect.catchTag("ThreadNotFound", () => notFound(mark)))
    const [shown = event] = withoutLongSignatures([event])
    return { event: shown, discussion }
  })

  const list = Effect.fn("CalendarViews.list")(function* (q: string | undefined, place: ListPlace) {
    const readable = readableBy(yield* CurrentActor)
    const { events, ...extent } = yield* store.list({ readable, place, text: searched(q) })
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: events.length }),
      events: withoutLongSignatures(events)
    } satisfies CalendarEventListResult
  })

  return { getFor, get, list } as const
})

/** A calendar event as its viewer sees it. */
export type CalendarView = Effect.Success<ReturnType<CalendarViews["Service"]["get"]>>

export class CalendarViews extends Context.Service<CalendarViews, Effect.Success<typeof make>>()(
  "forum/domain/CalendarViews"
) {
  static readonly layer = Layer.effect(CalendarViews, make)
}
