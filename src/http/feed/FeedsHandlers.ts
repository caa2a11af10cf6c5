import { Effect, Redacted } from "effect"
import { CalendarAddresses } from "../../domain/feed/CalendarAddresses.ts"
import { CalendarFeeds } from "../../domain/feed/CalendarFeeds.ts"
import type { CalendarFeed } from "../../domain/feed/EventFeed.ts"
import { LibraryFeed } from "../../domain/feed/LibraryFeed.ts"
import { ThreadFeeds } from "../../domain/feed/ThreadFeeds.ts"
import { ForumApi } from "../Api.ts"
import { joined } from "../bytes/Template.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { RateLimits } from "../pipeline/RateLimits.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import { calendarText, calendarType } from "./EventCalendar.ts"
import { makeFeedAnswers, makePublicAnswer } from "./FeedAnswers.ts"
import { guessUnits } from "./FeedsApi.ts"

// Anyone who knows the address may read it, and nobody else may keep it for others.
const ownCaching = { "cache-control": "private, no-cache" }

export const layer = group(
  ForumApi,
  "feeds",
  Effect.fnUntraced(function* (handlers) {
    const threads = yield* ThreadFeeds
    const library = yield* LibraryFeed
    const calendars = yield* CalendarFeeds
    const addresses = yield* CalendarAddresses
    const limits = yield* RateLimits
    const feedAnswer = yield* makeFeedAnswers
    const publicAnswer = yield* makePublicAnswer

    /** Whose calendar is at an address. Who guesses pays for it. */
    const reading = (key: Redacted.Redacted) =>
      Effect.tapErrorTag(addresses.getReader(key), "CalendarAddressUnknown", () =>
        Effect.map(RequestContext, (facts) => limits.chargeMore(facts, guessUnits))
      )

    const calendar =
      (ifNoneMatch: string | undefined, headers?: Readonly<Record<string, string>>) => (feed: CalendarFeed) =>
        publicAnswer(joined([calendarText(feed)]), calendarType, ifNoneMatch, headers)

    return handlers.handleAll({
      threads: ({ headers, params: { format }, query: { author, category, tag } }) => {
        const query = { category, tag, author }
        return Effect.flatMap(threads.threads(query), (view) =>
          feedAnswer(view, { format, path: "/threads", query, ifNoneMatch: headers["if-none-match"] })
        )
      },
      replies: ({ headers, params: { format, thread_mark } }) =>
        Effect.flatMap(threads.replies(thread_mark), (view) =>
          feedAnswer(view, {
            format,
            path: `/threads/${encodeURIComponent(thread_mark)}`,
            query: {},
            ifNoneMatch: headers["if-none-match"]
          })
        ),
      library: ({ headers, params: { format } }) =>
        Effect.flatMap(library.pages(), (view) =>
          feedAnswer(view, {
            format,
            path: "/library",
            query: {},
            ifNoneMatch: headers["if-none-match"]
          })
        ),
      events: ({ headers, query }) =>
        Effect.flatMap(calendars.all(query.from), calendar(headers["if-none-match"])),
      calendar: ({ headers, query }) =>
        reading(Redacted.make(query.key)).pipe(
          Effect.flatMap((reader) => calendars.ofParticipant(reader, query.from)),
          Effect.flatMap(calendar(headers["if-none-match"], ownCaching))
        ),
      makeCalendarAddress: () =>
        Effect.map(addresses.replace(), ({ address, createdAt }) => ({
          address: Redacted.value(address),
          createdAt
        })),
      event: ({ headers, params }) =>
        Effect.flatMap(calendars.one(params.event_mark), calendar(headers["if-none-match"]))
    })
  })
)
