/** Sends what webhooks are told of, as Standard Webhooks says. */
import { Clock, DateTime, type Duration, Effect } from "effect"
import { Outbound, type OutboundError } from "../outbound/Outbound.ts"
import type { Message } from "./WebhookDeliveryStore.ts"
import { type Attempt, answerBytes, keptAnswer } from "./WebhookRules.ts"
import { makeWebhookSecrets } from "./WebhookSecrets.ts"

/** How long the receiver may take for its answer: until its head and what is taken of its body are there. */
export const answerWithin: Duration.Input = "10 seconds"

const refusals = {
  address: "The address is none",
  scheme: "The service sends nothing there without https",
  credentials: "There is a user name or password in the address",
  port: "The port is one of another protocol",
  network: "The address is not on the public internet",
  downgrade: "The service sends nothing there without https"
} as const

const failures = {
  name: "The name of the host is not known",
  connection: "There was no connection, or it ended too early",
  time: "There was no answer within 10 seconds",
  redirects: "The receiver redirects",
  size: "The answer is too long",
  encoding: "The answer is compressed in a way that was not asked for"
} as const

const reasonOf = (error: OutboundError): string =>
  error._tag === "OutboundRefused" ? refusals[error.reason] : failures[error.reason]

export const makeWebhookRequests = Effect.gen(function* () {
  const outbound = yield* Outbound
  const secrets = yield* makeWebhookSecrets

  /** Sends a message about what happened at a time. Whatever comes of it is an attempt. */
  return Effect.fnUntraced(function* (message: Message, happenedAt: DateTime.Utc, data: object) {
    const at = yield* DateTime.now
    const timestamp = Math.floor(at.epochMilliseconds / 1000)
    const { messageId, sealedSecrets, type, url, webhookId } = message
    const body = JSON.stringify({ type, timestamp: DateTime.formatIso(happenedAt), data })
    const signature = yield* secrets.sign(webhookId, sealedSecrets, { messageId, timestamp, body })
    const outcome = yield* outbound
      .send({
        url,
        body: { contentType: "application/json", bytes: new TextEncoder().encode(body) },
        accept: "*/*",
        headers: {
          "webhook-id": messageId,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signature
        },
        maxBytes: answerBytes,
        beyond: "cut",
        redirects: 0,
        within: answerWithin,
        securely: true
      })
      .pipe(
        Effect.map((answer) => ({
          status: answer.status,
          answer: keptAnswer(answer.body),
          error: undefined
        })),
        Effect.catch((error) =>
          Effect.succeed({ status: undefined, answer: undefined, error: reasonOf(error) })
        )
      )
    const milliseconds = Math.max(0, Math.round((yield* Clock.currentTimeMillis) - at.epochMilliseconds))
    return { at, milliseconds, ...outcome } satisfies Attempt
  })
})
