import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { AssetUnknown } from "../../src/domain/asset/Asset.ts"
import {
  CapacityTooLow,
  EventNotFound,
  EventSlugTaken,
  NotHost
} from "../../src/domain/calendar/CalendarEvent.ts"
import {
  EventFull,
  LastHost,
  ParticipantNotFound,
  ParticipationRefused,
  TooManyParticipants
} from "../../src/domain/calendar/Participant.ts"
import { CategoryUnknown } from "../../src/domain/category/Category.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { announce, fieldsOf, leave, takePart } from "../support/calendar.ts"
import { category, reply } from "../support/discussion.ts"
import { Cast, guest, nobody, suspend } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

const image = "00000000000000000a00"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into assets (id, created_at, filename, original_name, mime_type, size, store)
    values (${image}, 'epoch', ${image}, 'hall.png', 'image/png', 10, 'disk')`
  const place = yield* category(odin, "Place")
  const fields = fieldsOf(place.id)
  const event = yield* announce(odin, place.id, "Event", { primary_image_asset_id: image, capacity: 1 })
  yield* reply(odin, event.thread.id, "reply")
  const gone = yield* announce(odin, place.id, "Gone")
  const crowded = yield* announce(odin, place.id, "Crowded")
  yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    select ${crowded.id}, id, 'epoch', 'epoch', 'host', 'invited' from accounts where id <> ${odin.id}`
  yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
    select 'm' || lpad(n::text, 19, '0'), 'epoch', 'epoch', 'm' || n, 'm' || n, 'many' from generate_series(1, 17) n`
  yield* sql`insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    select ${crowded.id}, id, 'epoch', 'epoch', 'host', 'invited' from accounts where id like 'm%' limit 16`
  const another = { ...tyr, id: `m${"17".padStart(19, "0")}` }
  ok(yield* takePart(freya, event.id, freya))
  yield* suspend(tyr)
  const path = `/events/${event.id}`
  const nowhere = `/events/${nobody}`
  return [
    { operation: "EventList", call: guest.get("/events"), expects: 200, statements: 6 },
    {
      operation: "EventList",
      when: "by an account",
      call: freya.get("/events"),
      expects: 200,
      statements: 4
    },
    { operation: "EventList", when: "empty", call: guest.get("/events?page=2"), expects: 200, statements: 2 },
    {
      operation: "EventList",
      when: "searched",
      call: guest.get("/events?q=event"),
      expects: 200,
      statements: 4
    },
    {
      operation: "EventList",
      when: "with a text that is too long",
      call: guest.get(`/events?q=${"x".repeat(201)}`),
      expects: InvalidRequest
    },
    { operation: "EventGet", call: guest.get(path), expects: 200, statements: 6 },
    {
      operation: "EventGet",
      when: "by its slug",
      call: odin.get("/events/event"),
      expects: 200,
      statements: 5
    },
    { operation: "EventGet", when: "unknown", call: guest.get(nowhere), expects: EventNotFound },
    {
      operation: "EventCreate",
      call: odin.post("/events", { ...fields, name: "New", primary_image_asset_id: image }),
      expects: 200,
      statements: 13
    },
    {
      operation: "EventCreate",
      when: "with a slug that is taken",
      call: odin.post("/events", { ...fields, name: "New" }),
      expects: EventSlugTaken
    },
    {
      operation: "EventCreate",
      when: "in an unknown category",
      call: odin.post("/events", { ...fields, thread_category_id: nobody }),
      expects: CategoryUnknown
    },
    {
      operation: "EventCreate",
      when: "with an unknown image",
      call: odin.post("/events", { ...fields, primary_image_asset_id: nobody }),
      expects: AssetUnknown
    },
    {
      operation: "EventCreate",
      when: "without the permission",
      call: freya.post("/events", fields),
      expects: Forbidden
    },
    { operation: "EventCreate", when: "by a guest", call: guest.post("/events"), expects: Unauthenticated },
    {
      operation: "EventUpdate",
      call: odin.patch(path, { name: "Changed", content: "changed", capacity: 2 }),
      expects: 200,
      statements: 18
    },
    {
      operation: "EventUpdate",
      when: "without the thread",
      call: odin.patch(path, { description: "changed", capacity: 1 }),
      expects: 200,
      statements: 11
    },
    { operation: "EventUpdate", when: "of nothing", call: odin.patch(path, {}), expects: 200, statements: 6 },
    { operation: "EventUpdate", when: "unknown", call: odin.patch(nowhere, {}), expects: EventNotFound },
    { operation: "EventUpdate", when: "of another", call: freya.patch(path, {}), expects: NotHost },
    {
      operation: "EventUpdate",
      when: "to fewer places than are taken",
      call: odin.patch(path, { capacity: 0 }),
      expects: CapacityTooLow
    },
    {
      operation: "EventUpdate",
      when: "to a slug that is taken",
      call: odin.patch(path, { slug: "new" }),
      expects: EventSlugTaken
    },
    {
      operation: "EventUpdate",
      when: "to an unknown image",
      call: odin.patch(path, { primary_image_asset_id: nobody }),
      expects: AssetUnknown
    },
    { operation: "EventDelete", call: odin.delete(`/events/${gone.id}`), expects: 200, statements: 9 },
    {
      operation: "EventDelete",
      when: "once more",
      call: odin.delete(`/events/${gone.id}`),
      expects: EventNotFound
    },
    { operation: "EventDelete", when: "of another", call: freya.delete(path), expects: NotHost },
    {
      operation: "EventParticipantUpdate",
      call: takePart(odin, event.id, loki, { status: "invited" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "EventParticipantUpdate",
      when: "when it is so already",
      call: takePart(odin, event.id, loki, { status: "invited" }),
      expects: 200,
      statements: 6
    },
    {
      operation: "EventParticipantUpdate",
      when: "when all places are taken",
      call: takePart(loki, event.id, loki),
      expects: EventFull
    },
    {
      operation: "EventParticipantUpdate",
      when: "of another",
      call: takePart(freya, event.id, loki),
      expects: ParticipationRefused
    },
    {
      operation: "EventParticipantUpdate",
      when: "of one host too many",
      call: takePart(odin, crowded.id, another, { role: "host" }),
      expects: TooManyParticipants
    },
    {
      operation: "EventParticipantUpdate",
      when: "of the last host",
      call: takePart(odin, event.id, odin, { role: "attendee" }),
      expects: LastHost
    },
    {
      operation: "EventParticipantUpdate",
      when: "of nobody",
      call: odin.put(`${path}/participants/${nobody}`),
      expects: AccountNotFound
    },
    {
      operation: "EventParticipantUpdate",
      when: "of an unknown event",
      call: takePart(odin, nobody, loki),
      expects: EventNotFound
    },
    {
      operation: "EventParticipantUpdate",
      when: "by a suspended account",
      call: takePart(tyr, event.id, tyr),
      expects: AccountSuspended
    },
    { operation: "EventParticipantRemove", call: leave(odin, event.id, loki), expects: 200, statements: 8 },
    {
      operation: "EventParticipantRemove",
      when: "once more",
      call: leave(odin, event.id, loki),
      expects: ParticipantNotFound
    },
    {
      operation: "EventParticipantRemove",
      when: "of the last host",
      call: leave(odin, event.id, odin),
      expects: LastHost
    },
    {
      operation: "EventParticipantRemove",
      when: "by another",
      call: leave(loki, event.id, freya),
      expects: ParticipationRefused
    },
    {
      operation: "EventParticipantRemove",
      when: "of nobody",
      call: odin.delete(`${path}/participants/${nobody}`),
      expects: AccountNotFound
    },
    {
      operation: "EventParticipantRemove",
      when: "from an unknown event",
      call: leave(odin, nobody, loki),
      expects: EventNotFound
    }
  ]
})
