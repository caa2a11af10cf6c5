/** The web as a forum of a test sees it: nothing answers, until the test says what does. */
import { Effect } from "effect"
import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailed,
  type OutboundRequest
} from "../domain/outbound/Outbound.ts"
import { type FaultState, slowness } from "./Faults.ts"
import type { Gate } from "./Gate.ts"

/** A request that the service has sent. */
export interface SentRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as text; empty for a GET. */
  readonly body: string
}

/** What a test answers. An object as body is sent as JSON, a text as HTML unless `headers` say otherwise. */
export interface GivenAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | object
}

type Answering = (request: SentRequest) => GivenAnswer | Promise<GivenAnswer>

/** How many requests are kept; older ones make room. */
const keptMax = 10_000

const sentOf = ({ accept, body, headers = {}, url }: OutboundRequest): SentRequest => ({
  method: body === undefined ? "GET" : "POST",
  url,
  headers: { accept, ...(body === undefined ? {} : { "content-type": body.contentType }), ...headers },
  body: body === undefined ? "" : new TextDecoder().decode(body.bytes)
})

const bytesOf = (body: GivenAnswer["body"]) => {
  if (body instanceof Uint8Array) return { type: "application/octet-stream", bytes: body }
  const [type, text] =
    typeof body === "object"
      ? ["application/json", JSON.stringify(body)]
      : ["text/html; charset=utf-8", body ?? ""]
  return { type, bytes: new TextEncoder().encode(text) }
}

const failed = (url: string, reason: "connection" | "size") =>
  Effect.fail(new OutboundFailed({ url, reason }))

const answerOf = (request: OutboundRequest, { body, headers, status = 200 }: GivenAnswer) => {
  const { bytes, type } = bytesOf(body)
  if (bytes.length > request.maxBytes && request.beyond === "failure") return failed(request.url, "size")
  return Effect.succeed<OutboundAnswer>({
    url: request.url,
    status,
    headers: { "content-type": type, ...headers },
    body: bytes.subarray(0, request.maxBytes)
  })
}

export const makeRequests = (faults: FaultState, gate: Gate) => {
  const sent: Array<SentRequest> = []
  const answers = new Map<string, Answering>()

  /** The answer of the longest address that begins the address of the request. */
  const find = (url: string) => {
    const [longest] = [...answers.keys()]
      .filter((start) => url.startsWith(start))
      .sort((a, b) => b.length - a.length)
    return longest === undefined ? undefined : answers.get(longest)
  }

  const outbound: Outbound["Service"] = {
    send: Effect.fnUntraced(function* (request: OutboundRequest) {
      const one = sentOf(request)
      sent.push(one)
      if (sent.length > keptMax) sent.shift()
      const { outbound: fault } = faults.current
      const answering = fault === "failing" ? undefined : find(request.url)
      if (answering === undefined) return yield* failed(request.url, "connection")
      yield* gate.outside(slowness(fault))
      return yield* answerOf(request, yield* gate.outside(Effect.promise(async () => answering(one))))
    })
  }

  return {
    outbound,
    /** Answers requests to addresses that begin so, from now on. */
    answer: (start: string, answering: GivenAnswer | Answering): Effect.Effect<void> =>
      Effect.sync(() => {
        answers.set(start, typeof answering === "function" ? answering : () => answering)
      }),
    /** All requests of the service since the start or the last reset, oldest first. */
    requests: (): Effect.Effect<ReadonlyArray<SentRequest>> =>
      Effect.andThen(
        gate.settle,
        Effect.sync(() => [...sent])
      ),
    clear: () => {
      sent.length = 0
      answers.clear()
    }
  }
}
