import { Context } from "effect"

/** What its log line, its metrics and its problems need to know of a request. Completed as more becomes known. */
export interface RequestFacts {
  readonly traceId: string
  operation: string | undefined
  account: string | undefined
  /** The largest body of the operation, in bytes; nothing is read before the operation is known. */
  maxBody: number
  /** Gives the work the usual time from now on: for operations that know that they advance. */
  extendDeadline: () => void
}

const nothing = () => {}

/** The facts of a request of which only its trace id is known. */
export const factsOf = (traceId: string): RequestFacts => ({
  traceId,
  operation: undefined,
  account: undefined,
  maxBody: 0,
  extendDeadline: nothing
})

/** The facts of the running request. */
export const RequestContext = Context.Reference<RequestFacts>("forum/http/RequestContext", {
  defaultValue: () => factsOf("0".repeat(32))
})
