/** The line of the log for each answered request. */
import { Context, Effect } from "effect"

/** The fields of the line for a request, under their names in the log. */
export interface RequestLine {
  readonly method: string
  /** The address without its query, which may hold personal data and secrets. */
  readonly path: string
  readonly status: number
  /** How long the request took, in milliseconds. */
  readonly ms: number
  readonly operation: string
  /** Who sent the request: the id of an account, `guest`, or `unidentified`. */
  readonly account: string
  readonly trace_id: string
}

/** The message of the line for a request. */
export const requestMessage = "request"

/** Writes the line for a request; through the loggers of the process unless there is a shorter way to the same text. */
export const RequestLog = Context.Reference<(line: RequestLine) => Effect.Effect<void>>(
  "forum/http/RequestLog",
  {
    defaultValue: () => (line) => Effect.annotateLogs(Effect.logInfo(requestMessage), { ...line })
  }
)
