import { Context } from "effect"

/** What its log line, its metrics and its problems need to know of a request. Completed as more becomes known. */
export interface RequestFacts {
  readonly traceId: string
  operation: string | undefined
  account: string | undefined
  /** The largest body of the operation, in bytes; nothing is read before the operation is known. */
  maxBody: number
}

/** The facts of the running request. */
export const RequestContext = Context.Reference<RequestFacts>("forum/http/RequestContext", {
  defaultValue: () => ({ traceId: "0".repeat(32), operation: undefined, account: undefined, maxBody: 0 })
})
