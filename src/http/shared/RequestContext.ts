import { Context } from "effect"

/** What its log line, its metrics and its problems need to know of a request. Authentication completes it. */
export interface RequestFacts {
  readonly traceId: string
  operation: string | undefined
  account: string | undefined
}

/** The facts of the running request. */
export const RequestContext = Context.Reference<RequestFacts>("forum/http/RequestContext", {
  defaultValue: () => ({ traceId: "0".repeat(32), operation: undefined, account: undefined })
})
