import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AfterQuery,
  ChangeListResult,
  CursorExpired,
  EventsQuery,
  LastEventId,
  LimitQuery,
  StreamAfterQuery,
  TooManyStreams,
  WaitQuery
} from "../../domain/change/ChangeList.ts"
import { anyone } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class ChangesApi extends HttpApiGroup.make("changes")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        after: Schema.optionalKey(AfterQuery),
        events: Schema.optionalKey(EventsQuery),
        limit: Schema.optionalKey(LimitQuery),
        wait: Schema.optionalKey(WaitQuery)
      },
      success: ChangeListResult,
      error: [CursorExpired, TooManyStreams]
    }).pipe(
      operation({
        id: "ChangeList",
        cost: "quick",
        summary: "Read what has happened since",
        description:
          "What the caller may know of, oldest first, from all instances in one order. Ask again with `next` as `after`: nothing is missed or repeated, whatever commits in between. With `wait`, an answer that would have nothing waits for something; what waits counts among streams. A change is told to those who could read what it is about when it happened and may read it now. What is gone is told of by its id to those who could read it, and what was withdrawn to those who could read it until then. Suspended accounts are told of nothing.",
        access: anyone
      })
    ),
    HttpApiEndpoint.get("stream", "/stream", {
      query: {
        after: Schema.optionalKey(StreamAfterQuery),
        events: Schema.optionalKey(EventsQuery)
      },
      headers: { "last-event-id": Schema.optionalKey(LastEventId) },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
      error: [CursorExpired, TooManyStreams]
    }).pipe(
      operation({
        id: "ChangeStream",
        cost: "quick",
        summary: "Follow what happens",
        description:
          "Server-sent events until you leave: each change that the caller may know of as an event `change` with its cursor as `id`, and what `GET /changes` has of it in one line of `data`. A comment comes every 15 seconds. Who accepts gzip gets it compressed, in parts that can be read as they come. It ends when the credential does, the account is suspended, the service stops, or more waits for the reader than may; connect again with `Last-Event-ID`, as browsers do, and nothing is missed or repeated. An account has 10 streams at a time at most, a network 50.",
        access: anyone
      })
    )
  )
  .prefix("/changes")
  .annotateMerge(
    OpenApi.annotations({ title: "changes", description: "What has happened, as far as the caller may know" })
  ) {}
