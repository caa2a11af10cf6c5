import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventNotFound } from "../../domain/calendar/CalendarEvent.ts"
import { CategoryNotFound } from "../../domain/category/Category.ts"
import { CalendarAddress, CalendarAddressUnknown } from "../../domain/feed/CalendarKey.ts"
import { entriesMax, FeedFormat } from "../../domain/feed/Feed.ts"
import * as Text from "../../domain/field/Text.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { Instant } from "../../domain/shared/Instant.ts"
import { TagNotFound } from "../../domain/tag/TagDetail.ts"
import { AuthorUnknown, ThreadHidden, ThreadNotFound } from "../../domain/thread/Thread.ts"
import { EventMark } from "../calendar/CalendarAccess.ts"
import { accountsByCookieOrKey, everyone } from "../contract/AccessPolicies.ts"
import { conditionalHeaders } from "../contract/Conditional.ts"
import { CacheControl, ETag } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

const headers = { "cache-control": CacheControl, etag: ETag }

const feed = [
  HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "*/*" }), headers),
  HttpApiSchema.WithHeaders(
    HttpApiSchema.Empty(304).annotate({ description: "The feed is the one of the tag in `If-None-Match`" }),
    headers
  )
] as const

const calendar = [
  HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "text/calendar" }), headers),
  HttpApiSchema.WithHeaders(
    HttpApiSchema.Empty(304).annotate({
      description: "The calendar is the one of the tag in `If-None-Match`"
    }),
    headers
  )
] as const

const from = Schema.optionalKey(Instant).annotateKey({
  description: "From when on events end that the calendar has; from now on if absent"
})

/** What a network pays for a key that there is not, beyond what the operation costs. */
export const guessUnits = 50

const feedTypes = ["application/atom+xml", "application/rss+xml", "application/feed+json"]

const general = `It is what guests may read, whoever asks. It may be kept for a minute. Addresses in it are absolute. It has about 2 MiB: entries whose contents do not fit have their summaries alone.`

export class FeedsApi extends HttpApiGroup.make("feeds")
  .add(
    HttpApiEndpoint.get("threads", "/feeds/threads.:format", {
      params: { format: FeedFormat },
      query: {
        category: Schema.optionalKey(
          Text.term({ max: 255, description: "The slug of a category: its threads alone" })
        ),
        tag: Schema.optionalKey(
          Text.term({ max: 255, description: "The name of a tag: threads with it alone" })
        ),
        author: Schema.optionalKey(
          Text.term({ max: 255, description: "The handle or the id of an account: its threads alone" })
        )
      },
      headers: conditionalHeaders,
      success: feed,
      error: [Forbidden, CategoryNotFound, TagNotFound, AuthorUnknown]
    }).pipe(
      operation({
        id: "FeedThreads",
        cost: "long",
        answersTypes: feedTypes,
        summary: "Follow the threads",
        description: `A feed of the ${entriesMax} published threads that were active last. ${general}`,
        access: everyone
      })
    ),
    HttpApiEndpoint.get("replies", "/feeds/threads/:thread_mark.:format", {
      params: {
        thread_mark: Text.mark({ description: "The id or the slug of the thread" }),
        format: FeedFormat
      },
      headers: conditionalHeaders,
      success: feed,
      error: [Forbidden, ThreadNotFound, ThreadHidden]
    }).pipe(
      operation({
        id: "FeedReplies",
        cost: "long",
        answersTypes: feedTypes,
        summary: "Follow the replies to a thread",
        description: `A feed of the ${entriesMax} newest replies, or of fewer where some are very long. ${general}`,
        access: everyone
      })
    ),
    HttpApiEndpoint.get("library", "/feeds/library.:format", {
      params: { format: FeedFormat },
      headers: conditionalHeaders,
      success: feed,
      error: Forbidden
    }).pipe(
      operation({
        id: "FeedLibrary",
        cost: "long",
        answersTypes: feedTypes,
        summary: "Follow the library",
        description: `A feed of the ${entriesMax} published pages that changed last. ${general}`,
        access: everyone
      })
    ),
    HttpApiEndpoint.get("events", "/feeds/events.ics", {
      query: { from },
      headers: conditionalHeaders,
      success: calendar
    }).pipe(
      operation({
        id: "FeedEvents",
        cost: "quick",
        summary: "Follow the events",
        description: `A calendar (RFC 5545) of the ${entriesMax} events that end next, of those that guests see, whoever asks. Times are in UTC. It may be kept for a minute.`,
        access: everyone
      })
    ),
    HttpApiEndpoint.get("calendar", "/feeds/calendar.ics", {
      query: {
        key: Text.verbatim({ max: 100, description: "The key in the secret address of a calendar" }),
        from
      },
      headers: conditionalHeaders,
      success: calendar,
      error: CalendarAddressUnknown
    }).pipe(
      operation({
        id: "FeedCalendar",
        cost: "quick",
        summary: "Follow the events that an account takes part in",
        description: `A calendar (RFC 5545) of the ${entriesMax} events that end next, of those in which the account takes part, has not declined to, and may read now; those that are not sure are tentative. \`AccountCalendarAddress\` makes the address. A key that there is not costs the network ${guessUnits} units more of its rate limit.`,
        access: everyone
      })
    ),
    HttpApiEndpoint.post("makeCalendarAddress", "/accounts/self/calendar-address", {
      success: CalendarAddress
    }).pipe(
      operation({
        id: "AccountCalendarAddress",
        cost: "write",
        summary: "Make the secret address of your calendar",
        description:
          "For programs that cannot sign in. The address before ends at once; this one ends when it is replaced, and answers nothing while the account is suspended.",
        access: accountsByCookieOrKey
      })
    ),
    HttpApiEndpoint.get("event", "/events/:event_mark.ics", {
      params: { event_mark: EventMark },
      headers: conditionalHeaders,
      success: calendar,
      error: EventNotFound
    }).pipe(
      operation({
        id: "FeedEvent",
        cost: "quick",
        summary: "Put an event into a calendar",
        description:
          "A calendar (RFC 5545) with this event alone, if guests see it, whoever asks. Times are in UTC. It may be kept for a minute.",
        access: everyone
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "feeds",
      description: "The newest of everything, for programs that follow it"
    })
  ) {}
