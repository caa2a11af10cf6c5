/** Something that follows from events. */
import { Duration, Effect, Schema } from "effect"
import type { LoggedEvent } from "./EventLog.ts"

/** The event waits before it is tried again, and later events wait with it; or it is parked, and they go on. */
export type NextTry =
  | { readonly _tag: "Retry"; readonly after: Duration.Duration }
  | { readonly _tag: "Park" }

// Long enough for a deployment or a restart to finish, short enough for later events to wait.
const pauses = [1, 5, 25, 125].map((seconds) => Duration.seconds(seconds))

/** What happens after a number of failed tries, counted from 1. */
export const decideNextTry = (tries: number): NextTry => {
  const after = pauses[tries - 1]
  return after === undefined ? { _tag: "Park" } : { _tag: "Retry", after }
}

/** An event as its area declares it. */
export interface EventSchema extends Schema.Codec<{ readonly _tag: string }, unknown> {
  readonly fields: { readonly _tag: Schema.tag<string> }
}

export const tagOf = (event: EventSchema): string => event.fields._tag.schema.literal

/** A consumer as the event log serves it, whatever the events that it reads. */
export interface EventConsumer {
  /** What the log, metrics and operators call it, and the database keeps its position under: words with spaces. */
  readonly name: string
  /** The events that it is handed; all others are passed over. */
  readonly tags: ReadonlyArray<string>
  /** Handles events as they are stored. Fails if one is not as it is declared. */
  readonly handle: (events: ReadonlyArray<LoggedEvent<unknown>>) => Effect.Effect<void, Schema.SchemaError>
}

/**
 * A consumer of the events that it names. `handle` gets them in order and runs
 * in the transaction that moves the consumer's position past them, so that each
 * takes effect once.
 *
 * The position is kept by name, and moves past everything that is not read. A
 * consumer that starts to read another event has already passed those that an
 * older release, which still runs, did not ask for. So what a consumer reads is
 * never extended: another event gets another consumer.
 */
export const makeConsumer = <const Reads extends ReadonlyArray<EventSchema>>(consumer: {
  readonly name: string
  readonly reads: Reads
  readonly handle: (events: ReadonlyArray<LoggedEvent<Reads[number]["Type"]>>) => Effect.Effect<void>
}): EventConsumer => {
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Union(consumer.reads)))
  const decodeLogged = (logged: LoggedEvent<unknown>) =>
    Effect.map(decode(logged.event), (event) => ({ ...logged, event }))
  return {
    name: consumer.name,
    tags: consumer.reads.map(tagOf),
    handle: (events) => Effect.flatMap(Effect.forEach(events, decodeLogged), consumer.handle)
  }
}
