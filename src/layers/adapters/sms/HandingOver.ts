/** Hands a message over in one request to the provider of the settings, and says what its answer means. */
import { Effect } from "effect"
import { Outbound, type OutboundAnswer, type OutboundRequest } from "../../../domain/outbound/Outbound.ts"
import { TextFailed } from "../../../domain/sms/TextMessages.ts"

/** What a request to a provider says of itself. */
export type ProviderRequest = Pick<OutboundRequest, "url" | "body" | "headers">

// Providers answer with a description of the message, which nobody reads.
const answerBytes = 64 * 1024

/** Statuses with which a provider asks for patience, beside those of its own failures. */
const passing = new Set([408, 425, 429])

const failureOf = (status: number, detail: string): TextFailed =>
  new TextFailed({
    reason: `The provider of text messages answered ${status}${detail}`,
    isFinal: status < 500 && !passing.has(status)
  })

/** Sends requests of which each has a message; `detailOf` reads from a refusal what may be told of it. */
export const makeHandingOver = (detailOf: (answer: OutboundAnswer) => string) =>
  Effect.map(
    Outbound,
    ({ send }) =>
      (request: ProviderRequest): Effect.Effect<void, TextFailed> =>
        send({
          ...request,
          accept: "application/json",
          maxBytes: answerBytes,
          beyond: "cut",
          redirects: 0,
          within: "20 seconds"
        }).pipe(
          Effect.mapError((error) =>
            error._tag === "OutboundRefused"
              ? new TextFailed({
                  reason: `The address of the provider of text messages is not reached: ${error.reason}`,
                  isFinal: true
                })
              : new TextFailed({
                  reason: `The provider of text messages did not answer: ${error.reason}`,
                  isFinal: false
                })
          ),
          Effect.flatMap((answer) =>
            answer.status >= 200 && answer.status < 300
              ? Effect.void
              : Effect.fail(failureOf(answer.status, detailOf(answer)))
          )
        )
  )
