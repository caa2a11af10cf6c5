/** Failures of the service that no answer to a request tells of: administrators find them in the audit log. */
import { Cause, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { AuditEventId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { findTraceId } from "../shared/TraceId.ts"
import { causeOf, type Failure, isPassing, messageOf, placeOf } from "./InternalErrorRules.ts"
import { type InternalErrorEntry, InternalErrorStore } from "./InternalErrorStore.ts"

export interface InternalError {
  /** The part of the service in which it happened, without ids: errors of one place that say the same are one. */
  readonly where: string
  /** What failed, as the log names it. */
  readonly what: string
  readonly failure: Failure
  /** What only the log has. */
  readonly about?: Readonly<Record<string, string | number>>
}

/** Causes that may wait to be recorded. What happens beyond that is in the log alone. */
const waitingMax = 100

// The database may be what has failed.
const recordingMax = "5 seconds"

const make = Effect.gen(function* () {
  const store = yield* InternalErrorStore
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom

  const waiting = new Map<string, InternalErrorEntry>()
  let isRecording = false

  const newTraceId = Effect.map(random.randomBytes(16), Hex.encode)
  const traceId = Effect.flatMap(
    findTraceId,
    Option.match({ onSome: Effect.succeed, onNone: () => newTraceId })
  )

  /** The next that is to be recorded; without one, nobody is recording any more. */
  const takeNext = (): InternalErrorEntry | undefined => {
    const [next] = waiting.values()
    if (next === undefined) isRecording = false
    else waiting.delete(next.cause)
    return next
  }

  const forgetAll = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      const forgotten = waiting.size + 1
      waiting.clear()
      return Effect.annotateLogs(Effect.logWarning("Internal errors could not be recorded", cause), {
        forgotten
      })
    })

  /** Records what waits, in one fiber of this process at a time. What happens meanwhile is counted and recorded once. */
  const recordAll = Effect.gen(function* () {
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      yield* store.record(next).pipe(Effect.timeout(recordingMax), Effect.catchCause(forgetAll))
    }
  }).pipe(Effect.uninterruptible)

  const enqueue = (entry: InternalErrorEntry) => {
    const known = waiting.get(entry.cause)
    if (known !== undefined) waiting.set(entry.cause, { ...known, occurrences: known.occurrences + 1 })
    else if (waiting.size < waitingMax) waiting.set(entry.cause, entry)
  }

  /**
   * Logs a failure, and adds it to the audit log unless it says only that the database does not answer. Never fails,
   * and is no part of the running transaction.
   */
  const report = Effect.fnUntraced(
    function* ({ about, failure, what, where }: InternalError) {
      if (typeof failure !== "string" && Cause.hasInterruptsOnly(failure)) return
      const trace_id = yield* traceId
      const line = typeof failure === "string" ? Effect.logWarning(what) : Effect.logWarning(what, failure)
      yield* Effect.annotateLogs(line, { ...about, trace_id })
      if (isPassing(failure)) return
      const place = placeOf(where)
      const message = messageOf(what, failure)
      enqueue({
        id: AuditEventId.make(yield* ids.next),
        at: yield* DateTime.now,
        cause: causeOf(place, message),
        where: place,
        message,
        traceId: trace_id,
        occurrences: 1
      })
      if (isRecording) return
      isRecording = true
      yield* recordAll
    },
    Effect.catchCause((cause) => Effect.logWarning("An internal error could not be reported", cause))
  )

  return { report } as const
})

export class InternalErrors extends Context.Service<InternalErrors, Effect.Success<typeof make>>()(
  "forum/domain/InternalErrors"
) {
  static readonly layer = Layer.effect(InternalErrors, make)
}
