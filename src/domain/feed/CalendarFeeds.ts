/** Events as calendars that programs follow. */
import { Context, DateTime, Effect, Layer } from "effect"
import { readableBy } from "../calendar/CalendarRules.ts"
import { CalendarStore, type EndingEvent } from "../calendar/CalendarStore.ts"
import { CalendarViews } from "../calendar/CalendarViews.ts"
import { Timestamp } from "../field/Resource.ts"
import { Callers } from "../session/Callers.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { type Actor, CurrentActor } from "../shared/Actor.ts"
import { ThreadViews } from "../thread/ThreadViews.ts"
import { type CalendarFeed, type FeedEvent, isCertain } from "./EventFeed.ts"
import { entriesMax } from "./Feed.ts"
import { makeAsGuest } from "./FeedReader.ts"
import { namesAt, webPages } from "./WebPages.ts"

const make = Effect.gen(function* () {
  const store = yield* CalendarStore
  const views = yield* CalendarViews
  const settings = yield* InstanceSettings
  const deployment = yield* Deployment
  const { asGuest } = yield* makeAsGuest
  const pages = webPages(deployment)
  const names = namesAt(deployment)

  const eventOf = ({ event, status }: EndingEvent): FeedEvent => ({
    uid: names.uid(event.id),
    event: event.shared,
    address: pages.event(event.shared.slug),
    isCertain: isCertain(event.visibility, status)
  })

  const calendarOf = Effect.fnUntraced(function* (events: ReadonlyArray<EndingEvent>) {
    const { title } = yield* settings.general
    return { title, events: events.map(eventOf) } satisfies CalendarFeed
  })

  /** The events that end next for an actor, from now on if nothing else is said. */
  const ending = Effect.fnUntraced(function* (
    actor: Actor,
    from: Timestamp | undefined,
    ofParticipant: boolean
  ) {
    const now = Timestamp.make(DateTime.formatIso(yield* DateTime.now))
    const readable = readableBy(actor)
    return yield* calendarOf(
      yield* store.ending({ readable, from: from ?? now, limit: entriesMax, ofParticipant })
    )
  })

  return {
    /** The events that guests see. */
    all: Effect.fn("CalendarFeeds.all")((from: Timestamp | undefined) =>
      asGuest(Effect.flatMap(CurrentActor, (guest) => ending(guest, from, false)))
    ),
    /** The events that somebody takes part in, and may read now. */
    ofParticipant: Effect.fn("CalendarFeeds.ofParticipant")((actor: Actor, from: Timestamp | undefined) =>
      ending(actor, from, true)
    ),
    /** The one event that a mark names, if guests see it. */
    one: Effect.fn("CalendarFeeds.one")((mark: string) =>
      asGuest(
        Effect.gen(function* () {
          const event = yield* views.getFor(mark, yield* CurrentActor)
          return yield* calendarOf([{ event, status: undefined }])
        })
      )
    )
  } as const
})

export class CalendarFeeds extends Context.Service<CalendarFeeds, Effect.Success<typeof make>>()(
  "forum/domain/CalendarFeeds"
) {
  static readonly layer = Layer.effect(CalendarFeeds, make).pipe(
    Layer.provide(
      Layer.mergeAll(
        Callers.layer,
        InstanceSettings.layer,
        CalendarViews.layer.pipe(Layer.provide(ThreadViews.layer))
      )
    )
  )
}
