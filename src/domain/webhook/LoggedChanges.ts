/** The changes that events of the log tell of. */
import { type DateTime, Effect, Schema } from "effect"
import { changeIdOf } from "../change/ChangeFeed.ts"
import { isTelling, type Told, toldOf } from "../change/ChangesOfEvents.ts"
import { DomainEvent } from "../event/EventLog.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(DomainEvent))

/** What an event tells others of, and who may know it; undefined if it tells of nothing. */
export const toldBy = (event: DomainEvent): Told | undefined => (isTelling(event) ? toldOf(event) : undefined)

/** The same of an event as it is stored; undefined also if it is not as it is declared. */
export const toldByStored = (event: unknown): Effect.Effect<Told | undefined> =>
  decode(event).pipe(
    Effect.map(toldBy),
    Effect.catch(() => Effect.undefined)
  )

/** The id of the change that an event tells of, which is the `webhook-id` of all its deliveries. */
export const messageIdOf = (at: DateTime.Utc, event: bigint): string =>
  changeIdOf(at.epochMilliseconds, event)
