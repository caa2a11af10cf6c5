/** What happens at a service, as a stream that goes on after whatever comes between. */
import { Effect, Option, Predicate, Schedule, Stream } from "effect"
import type { ChangeEntry } from "../domain/change/ChangeList.ts"
import type { ChangeName } from "../domain/change/Changes.ts"
import type { Client } from "./Client.ts"

export interface ChangeOptions {
  /** The cursor of the last change that is known. Without one, the stream begins with what happens next. */
  readonly after?: string
  /** The names of the changes to be told of; all where there are none. */
  readonly events?: ReadonlyArray<ChangeName>
}

type List = Client["changes"]["list"]

/** Why the stream ends: what the service refuses for good, such as a cursor that is too old. */
export type ChangesFailure = Effect.Error<ReturnType<List>>

/** Seconds that the service waits until there is something. */
const waits = "30"

/** Statuses of failures that pass: too much at once, or a service that stops, or starts. */
const passing: ReadonlySet<unknown> = new Set([429, 500, 502, 503, 504])

/** Whether trying again may help: on the way, or at a service that cannot answer for the moment. */
const passes = (failure: ChangesFailure): boolean =>
  Predicate.isTagged(failure, "HttpClientError") ||
  (Predicate.hasProperty(failure, "status") && passing.has(failure.status))

const again = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("15 seconds")]).pipe(
  Schedule.jittered
)

/**
 * The changes that the caller may know of, oldest first, none of them twice: after a cursor, or from now on. Keep the
 * `cursor` of what is done, to go on from there later. Failures that pass are waited out.
 */
export const changes = (
  client: Pick<Client, "changes">,
  { after, events }: ChangeOptions = {}
): Stream.Stream<ChangeEntry, ChangesFailure> => {
  const named = events === undefined ? {} : { events: events.join(",") }
  const list = (query: { readonly after: string; readonly wait?: string }) =>
    Effect.retry(client.changes.list({ query: { ...query, ...named } }), { while: passes, schedule: again })
  const start =
    after === undefined ? Effect.map(list({ after: "latest" }), ({ next }) => next) : Effect.succeed(after)
  return Stream.unwrap(
    Effect.map(start, (from) =>
      Stream.paginate(from, (cursor) =>
        Effect.map(
          list({ after: cursor, wait: waits }),
          ({ changes, next }) => [changes, Option.some(next)] as const
        )
      )
    )
  )
}
