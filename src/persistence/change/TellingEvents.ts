/** Events of the log as the changes that they tell of. */
import { Effect, Schema } from "effect"
import { changeIdOf, type LoggedChange } from "../../domain/change/ChangeFeed.ts"
import { isTelling, toldOf } from "../../domain/change/ChangesOfEvents.ts"
import { DomainEvent } from "../../domain/event/EventLog.ts"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import type { InternalErrors } from "../../domain/operations/InternalErrors.ts"
import type { EventPosition } from "../event/ConsumerPositions.ts"
import { toDateTime } from "../shared/Rows.ts"

export interface TellingRow extends EventPosition {
  readonly occurred_at: Date
  readonly event: unknown
  /** How many bytes the event has as JSON. */
  readonly size: number
}

/** A change, and how many bytes it has as it is told. */
export interface ReadChange {
  readonly logged: LoggedChange
  readonly size: number
}

/** What is told of each change beside its event: its id, twice its cursor, its time, and what stands around them. */
const bytesBeside = 200

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(DomainEvent))

const readOf = ({ generation, id, occurred_at, size, txid }: TellingRow, event: DomainEvent) => {
  const told = isTelling(event) ? toldOf(event) : undefined
  if (told === undefined) return undefined
  const logged: LoggedChange = {
    id: changeIdOf(occurred_at.getTime(), id),
    position: { generation, txid, id },
    at: toDateTime(occurred_at),
    ...told
  }
  return { logged, size: size + bytesBeside }
}

/** The changes that events tell of, in their order. One that cannot be read tells of none, as no later try would help. */
export const makeReadChanges = ({ report }: InternalErrors["Service"]) => {
  const readChange = (row: TellingRow): Effect.Effect<ReadChange | undefined> =>
    decode(row.event).pipe(
      Effect.map((event) => readOf(row, event)),
      Effect.catch((error) =>
        // The error quotes neither values nor the event, as its cause in the log would.
        report({
          where: "changes",
          what: "An event could not be told of",
          failure: errorText(error),
          about: { event_id: String(row.id) }
        }).pipe(Effect.as(undefined))
      )
    )

  return (rows: ReadonlyArray<TellingRow>): Effect.Effect<ReadonlyArray<ReadChange>> =>
    Effect.map(Effect.forEach(rows, readChange), (read) => read.flatMap((one) => one ?? []))
}
