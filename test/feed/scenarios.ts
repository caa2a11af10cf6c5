import { Effect } from "effect"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { CalendarAddressUnknown } from "../../src/domain/feed/CalendarKey.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { TagNotFound } from "../../src/domain/tag/TagDetail.ts"
import { AuthorUnknown, ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import { ifNoneMatch } from "../support/etags.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const place = yield* category(odin, "Place")
  const thread = yield* open(freya, "Thread", { category: place.id, tags: ["tag"] })
  yield* reply(freya, thread.id, "reply")
  const hidden = yield* open(freya, "Hidden", { visibility: "review" })
  ok(
    yield* odin.post("/nodes", {
      name: "Page",
      content: "<p>text</p>",
      visibility: "published",
      tags: ["tag"]
    })
  )
  const event = yield* announce(odin, place.id, "Event")
  const { address }: { readonly address: string } = ok(yield* odin.post("/accounts/self/calendar-address"))
  const calendar = address.replace("http://forum.test/api", "")
  return [
    { operation: "FeedThreads", call: guest.get("/feeds/threads.atom"), expects: 200 },
    {
      operation: "FeedThreads",
      when: "as the last one",
      call: guest.get("/feeds/threads.atom"),
      expects: 200,
      statements: 2
    },
    ...[
      ["FeedThreads", "/feeds/threads.json"],
      ["FeedReplies", `/feeds/threads/${thread.id}.json`],
      ["FeedLibrary", "/feeds/library.json"],
      ["FeedEvents", "/feeds/events.ics"],
      ["FeedEvent", `/events/${event.id}.ics`],
      ["FeedCalendar", calendar]
    ].map(([operation = "", path = ""]) => ({
      operation,
      when: "not changed",
      call: guest.get(path, ifNoneMatch("*")),
      expects: 304
    })),
    {
      operation: "FeedThreads",
      when: "narrowed by all",
      call: guest.get("/feeds/threads.rss?category=place&tag=tag&author=freya"),
      expects: 200
    },
    {
      operation: "FeedThreads",
      when: "of an unknown category",
      call: guest.get("/feeds/threads.json?category=nowhere"),
      expects: CategoryNotFound
    },
    {
      operation: "FeedThreads",
      when: "of an unknown tag",
      call: guest.get("/feeds/threads.json?tag=nothing"),
      expects: TagNotFound
    },
    {
      operation: "FeedThreads",
      when: "of an unknown author",
      call: guest.get("/feeds/threads.json?author=nobody"),
      expects: AuthorUnknown
    },
    {
      operation: "FeedThreads",
      when: "in an unknown format",
      call: guest.get("/feeds/threads.html"),
      expects: InvalidRequest
    },
    {
      operation: "FeedReplies",
      call: guest.get(`/feeds/threads/${thread.id}.atom`),
      expects: 200
    },
    {
      operation: "FeedReplies",
      when: "as the last one",
      call: guest.get(`/feeds/threads/${thread.id}.atom`),
      expects: 200,
      statements: 2
    },
    {
      operation: "FeedReplies",
      when: "of an unknown thread",
      call: guest.get(`/feeds/threads/${nobody}.rss`),
      expects: ThreadNotFound
    },
    {
      operation: "FeedReplies",
      when: "of a thread that is not published",
      call: freya.get(`/feeds/threads/${hidden.id}.rss`),
      expects: ThreadHidden
    },
    { operation: "FeedLibrary", call: guest.get("/feeds/library.atom"), expects: 200 },
    {
      operation: "FeedLibrary",
      when: "as the last one",
      call: guest.get("/feeds/library.atom"),
      expects: 200,
      statements: 2
    },
    { operation: "FeedEvents", call: guest.get("/feeds/events.ics"), expects: 200, statements: 2 },
    {
      operation: "FeedEvents",
      when: "from a time that is none",
      call: guest.get("/feeds/events.ics?from=tomorrow"),
      expects: InvalidRequest
    },
    { operation: "FeedEvent", call: guest.get(`/events/${event.id}.ics`), expects: 200, statements: 2 },
    {
      operation: "FeedEvent",
      when: "unknown",
      call: guest.get(`/events/${nobody}.ics`),
      expects: EventNotFound
    },
    {
      operation: "AccountCalendarAddress",
      call: freya.post("/accounts/self/calendar-address"),
      expects: 200,
      statements: 2
    },
    {
      operation: "AccountCalendarAddress",
      when: "by a guest",
      call: guest.post("/accounts/self/calendar-address"),
      expects: Unauthenticated
    },
    {
      operation: "FeedCalendar",
      call: guest.get(calendar),
      expects: 200,
      statements: 2
    },
    {
      operation: "FeedCalendar",
      when: "with a key that there is not",
      call: guest.get("/feeds/calendar.ics?key=unknown"),
      expects: CalendarAddressUnknown
    }
  ]
})
