/** The web as the service in a test sees it: empty, until a test puts something at an address. */
import { Effect, Layer } from "effect"
import {
  Outbound,
  type OutboundAnswer,
  type OutboundError,
  OutboundRefused,
  type OutboundRequest
} from "../../src/domain/outbound/Outbound.ts"

type Answering = (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundError>

const answers = new Map<string, Answering>()

/** What was asked for since the last `clear`, whether there was something or not. */
export const asked: Array<string> = []

/** Puts something at an address. */
export const put = (url: string, answer: Answering | Effect.Effect<OutboundAnswer, OutboundError>): void => {
  answers.set(url, typeof answer === "function" ? answer : () => answer)
}

export const clear = Effect.sync(() => {
  answers.clear()
  asked.length = 0
})

/** An answer with a page, from the address that is asked for. */
export const page = (
  html: string,
  more: Partial<OutboundAnswer> = {}
): Effect.Effect<OutboundAnswer, OutboundError> =>
  Effect.succeed({
    url: "",
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: new TextEncoder().encode(html),
    ...more
  })

/** An answer in JSON, from the address that is asked for. */
export const json = (body: unknown, status = 200) =>
  Effect.succeed<OutboundAnswer>({
    url: "",
    status,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify(body))
  })

export const layer = Layer.succeed(Outbound, {
  send: (request) =>
    Effect.suspend(() => {
      asked.push(request.url)
      const answer = answers.get(request.url)
      return answer === undefined
        ? Effect.fail(new OutboundRefused({ url: request.url, reason: "network" }))
        : Effect.map(answer(request), (found) => ({ ...found, url: found.url || request.url }))
    })
})
