/** What this service sends to remote resources and their servers. Every answer is bounded. */
import { Effect, Result } from "effect"
import { Outbound, type OutboundAnswer } from "../outbound/Outbound.ts"
import type { DocumentRefusal } from "./DiscoveryRules.ts"
import { readRedirect } from "./RemoteAddress.ts"

/** How long one answer may take, redirects included; what it may be long; and how often it redirects. */
export const answerLimits = { within: "10 seconds", maxBytes: 256 * 1024, redirects: 10 } as const

// Redirects are followed here, as each of them has to lead to an address that is used.
const limits = {
  accept: "application/json",
  maxBytes: answerLimits.maxBytes,
  beyond: "failure",
  redirects: 0,
  within: answerLimits.within
} as const

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

const textOf = ({ body }: OutboundAnswer): string => new TextDecoder().decode(body)

const locationOf = ({ headers, status }: OutboundAnswer): string | undefined =>
  redirectStatuses.has(status) ? headers.location : undefined

/** A body to send, with headers of the request. */
export interface Sent {
  readonly contentType: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly text: string
}

export const makeRemoteRequests = Effect.gen(function* () {
  const outbound = yield* Outbound

  const answerFrom = (url: URL) =>
    Effect.mapError(outbound.send({ ...limits, url: url.href }), (): DocumentRefusal => "unreachable")

  const follow = Effect.fnUntraced(function* (first: URL) {
    let url = first
    for (let followed = 0; followed <= answerLimits.redirects; followed++) {
      const answer = yield* answerFrom(url)
      const location = locationOf(answer)
      if (location === undefined) return answer
      url = yield* Effect.fromResult(
        Result.mapError(readRedirect(url, location), (): DocumentRefusal => "address")
      )
    }
    return yield* Effect.fail<DocumentRefusal>("unreachable")
  })

  /** The answer at the first of these addresses where there is something. */
  const firstOf = Effect.fnUntraced(function* ([first, ...others]: readonly [
    string,
    ...ReadonlyArray<string>
  ]) {
    let answer = yield* follow(new URL(first))
    for (const other of others) {
      if (answer.status !== 404) break
      answer = yield* follow(new URL(other))
    }
    return answer
  })

  /** The text of the document at the first of these addresses that has one. All together have the time of one answer. */
  const document = (addresses: readonly [string, ...ReadonlyArray<string>]) =>
    firstOf(addresses).pipe(
      Effect.timeoutOrElse({
        duration: answerLimits.within,
        orElse: () => Effect.fail<DocumentRefusal>("unreachable")
      }),
      Effect.filterOrFail(
        ({ status }) => isSuccess(status),
        (): DocumentRefusal => "status"
      ),
      Effect.map(textOf)
    )

  /** Sends a body, and answers what comes; nothing if no whole answer does. No redirect is followed. */
  const post = (url: string, { contentType, headers = {}, text }: Sent) =>
    outbound
      .send({ ...limits, url, headers, body: { contentType, bytes: new TextEncoder().encode(text) } })
      .pipe(
        Effect.map((answer): Answered => ({ status: answer.status, text: textOf(answer) })),
        Effect.option
      )

  return { document, post } as const
})

export type RemoteRequests = Effect.Success<typeof makeRemoteRequests>
