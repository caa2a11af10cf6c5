import { Context, Effect, identity } from "effect"
import type { ReleasingPlaceWhile } from "../../domain/queue/FairQueue.ts"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import { type ClientAddress, unknownAddress } from "./ClientAddress.ts"

/** What an answer says of the rate limit. */
export interface RateStanding {
  readonly limit: number
  /** How many units the client has left. */
  readonly remaining: number
  /** When the client has all units again, as an HTTP date. */
  readonly reset: string
}

/** What is known of a request, for its log line, its metrics and its problems. Completed as more becomes known. */
export interface RequestFacts {
  readonly traceId: string
  readonly client: ClientAddress
  operation: string | undefined
  account: string | undefined
  /** Whether the request has a bearer token that is not valid, as far as it was looked at. */
  hasBadBearer: boolean
  /** How the rate limit stands for the client; undefined until the request is counted. */
  rate: RateStanding | undefined
  /** The largest body of the operation, in bytes; nothing is read before the operation is known. */
  maxBody: number
  /** Waits for the client without a place that others could have. */
  releasingPlaceWhile: ReleasingPlaceWhile
  /** Gives the work the usual time from now on: for operations that know that they advance. */
  extendDeadline: () => void
  /** Counts the rest of what the request costs a guest: for credentials that turn out to be worth nothing. */
  chargeAsGuest: () => void
}

const nothing = () => {}

/** The facts of a request of which only its trace id and its client are known. */
export const factsOf = (traceId: string, client: ClientAddress = unknownAddress): RequestFacts => ({
  traceId,
  client,
  operation: undefined,
  account: undefined,
  hasBadBearer: false,
  rate: undefined,
  maxBody: 0,
  releasingPlaceWhile: identity,
  extendDeadline: nothing,
  chargeAsGuest: nothing
})

/** The facts of the running request. */
export const RequestContext = Context.Reference<RequestFacts>("forum/http/RequestContext", {
  defaultValue: () => factsOf("0".repeat(32))
})

/** Does something that depends on the network of the client. */
export const fromNetwork = <A, E, R>(
  use: (network: ClientNetwork) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(RequestContext, ({ client }) => use(client.network))

/** Names an operation outside of the API for the log and the metrics, as those of the API are named. */
export const named = <A, E, R>(operation: string, response: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(RequestContext, (facts) => {
    facts.operation = operation
    return response
  })
