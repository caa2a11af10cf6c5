import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound } from "../../domain/account/Account.ts"
import { AssetUnknown } from "../../domain/asset/Asset.ts"
import {
  CalendarEvent,
  CalendarEventChanges,
  CalendarEventListResult,
  CapacityTooLow,
  EventNotFound,
  EventSlugTaken,
  NewCalendarEvent
} from "../../domain/calendar/CalendarEvent.ts"
import {
  EventFull,
  LastHost,
  ParticipantNotFound,
  ParticipationChange,
  ParticipationRefused,
  TooManyParticipants
} from "../../domain/calendar/Participant.ts"
import { CategoryUnknown } from "../../domain/category/Category.ts"
import * as Text from "../../domain/field/Text.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/text/TextProblem.ts"
import { markupProblems } from "../../domain/thread/Post.ts"
import { accounts, anyone, membersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"
import { EventMark, hosts } from "./CalendarAccess.ts"

const params = { event_mark: EventMark }

const participantParams = {
  ...params,
  account_id: Text.mark({ description: "The id of an account" })
}

export class CalendarApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        q: Schema.optionalKey(
          Text.term({
            max: 200,
            description: `Text that the name or the description contains. Letter case, accents and compatibility characters do not matter. A search may take ${searchSeconds} seconds.`
          })
        ),
        ...pagedQuery
      },
      success: CalendarEventListResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "EventList",
        cost: "quick",
        heavyWith: "q",
        summary: "List events",
        description: "Those that the caller may see, by their start, earliest first; 50 on a page.",
        access: anyone
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewCalendarEvent,
      success: CalendarEvent,
      error: [EventSlugTaken, CategoryUnknown, AssetUnknown, ...markupProblems, EventNotFound]
    }).pipe(
      operation({
        id: "EventCreate",
        cost: "write",
        summary: "Create an event",
        description:
          "With an unlisted thread, whose opening post has the content. The caller is its host. Without `slug`, the event gets one made from its name.",
        access: membersWith("MANAGE_EVENTS")
      })
    ),
    HttpApiEndpoint.get("get", "/:event_mark", {
      params,
      success: CalendarEvent,
      error: EventNotFound
    }).pipe(
      operation({
        id: "EventGet",
        cost: "quick",
        summary: "Read an event",
        description:
          "With its participants and the first page of its discussion. Callers who may not read threads see no replies.",
        access: anyone
      })
    ),
    HttpApiEndpoint.patch("update", "/:event_mark", {
      params,
      payload: CalendarEventChanges,
      success: CalendarEvent,
      error: [EventNotFound, EventSlugTaken, CapacityTooLow, AssetUnknown, ...markupProblems]
    }).pipe(
      operation({
        id: "EventUpdate",
        cost: "write",
        summary: "Change an event",
        description:
          "Its hosts may, and holders of MANAGE_EVENTS. A new name is the title of the thread as well; the slug stays unless another one is given.",
        access: hosts
      })
    ),
    HttpApiEndpoint.delete("delete", "/:event_mark", {
      params,
      success: Done,
      error: EventNotFound
    }).pipe(
      operation({
        id: "EventDelete",
        cost: "write",
        summary: "Delete an event and its thread",
        description: "Its hosts may, and holders of MANAGE_EVENTS.",
        access: hosts
      })
    ),
    HttpApiEndpoint.put("setParticipant", "/:event_mark/participants/:account_id", {
      params: participantParams,
      payload: ParticipationChange,
      success: Done,
      error: [EventNotFound, AccountNotFound, ParticipationRefused, EventFull, TooManyParticipants, LastHost]
    }).pipe(
      operation({
        id: "EventParticipantUpdate",
        cost: "write",
        summary: "Take part in an event, or let an account take part",
        description:
          "Hosts and holders of MANAGE_EVENTS may set any role and status of any account. Members may set their own status as the participation policy of the event allows.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("removeParticipant", "/:event_mark/participants/:account_id", {
      params: participantParams,
      success: Done,
      error: [EventNotFound, AccountNotFound, ParticipantNotFound, ParticipationRefused, LastHost]
    }).pipe(
      operation({
        id: "EventParticipantRemove",
        cost: "write",
        summary: "Leave an event, or remove a participant",
        description:
          "Everyone may leave, whatever the policy, and also when the event was withdrawn since. Hosts and holders of MANAGE_EVENTS may remove others.",
        access: accounts
      })
    )
  )
  .prefix("/events")
  .annotateMerge(
    OpenApi.annotations({ title: "events", description: "The calendar: events with participants" })
  ) {}
