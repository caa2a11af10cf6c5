/**
 * Requests that the service itself sends, to addresses that others choose. Every one of them goes through
 * this port, which holds what may be reached and how much of an answer is taken.
 */
import { Context, Data, type Duration, type Effect } from "effect"
import type { RefusalReason } from "./OutboundRules.ts"

export interface OutboundRequest {
  readonly url: string
  /** A request with a body is a POST, whose redirects are not followed. */
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array }
  /** The media types that are of use. */
  readonly accept: string
  /** Further headers. They go to the origin of `url` alone, not to where it redirects. */
  readonly headers?: Readonly<Record<string, string>>
  /** How many bytes of the body are taken, counted after decompression; and what a longer one is. */
  readonly maxBytes: number
  readonly beyond: "failure" | "cut"
  /** How many redirects are followed; with 0, a redirect is an answer like any other. */
  readonly redirects: number
  /** The time that the request may take, from the first look-up of a name to the last byte. */
  readonly within: Duration.Input
  /** Whether the networks that the operator opened are closed to this request. */
  readonly publicOnly?: boolean
  /** Whether it goes by https, and by http only into networks that the operator opened. */
  readonly securely?: boolean
}

export interface OutboundAnswer {
  /** Where the answer is from, after redirects. */
  readonly url: string
  readonly status: number
  /** The headers of the answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the answer, decompressed. */
  readonly body: Uint8Array
}

/** The request was not sent: no try reaches what the address names. */
export class OutboundRefused extends Data.TaggedError("OutboundRefused")<{
  readonly url: string
  readonly reason: RefusalReason
}> {}

/**
 * No answer came: the name is unknown, or nothing answers there, or not in time; it redirects too often; its
 * body is too long, or compressed in a way that was not asked for.
 */
export type FailureReason = "name" | "connection" | "time" | "redirects" | "size" | "encoding"

export class OutboundFailed extends Data.TaggedError("OutboundFailed")<{
  readonly url: string
  readonly reason: FailureReason
  readonly cause?: unknown
}> {}

export type OutboundError = OutboundRefused | OutboundFailed

export class Outbound extends Context.Service<
  Outbound,
  { readonly send: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundError> }
>()("forum/domain/Outbound") {}
