/**
 * A provider of text messages, which the service in a test sends requests to through its adapter. Nothing sends what is
 * left in the queue until `deliver` is run.
 */
import { Effect, Layer, Redacted } from "effect"
import type { OutboundAnswer, OutboundError, OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import { Outbound } from "../../src/domain/outbound/Outbound.ts"
import { SmsSending } from "../../src/domain/sms/SmsSending.ts"
import { TextMessages } from "../../src/domain/sms/TextMessages.ts"
import { make } from "../../src/layers/adapters/sms/ChosenMessages.ts"
import type { SmsProvider } from "../../src/layers/process/SmsAddress.ts"

const address = "https://texts.example/send"

export interface Provider {
  /** The requests that it got. */
  readonly requests: Array<OutboundRequest>
  /** What it does with the next ones. */
  behaviour: Effect.Effect<Pick<OutboundAnswer, "status" | "body">, OutboundError>
}

export const answering = (status: number, body: unknown = {}) =>
  Effect.succeed({ status, body: new TextEncoder().encode(JSON.stringify(body)) })

/** A provider of text messages. */
export const makeProvider = (): Provider => ({ requests: [], behaviour: answering(201) })

/** The port to other services, of which there is this provider alone. */
export const outboundTo = (provider: Provider): Outbound["Service"] => ({
  send: (request) =>
    Effect.suspend(() => {
      provider.requests.push(request)
      return Effect.map(provider.behaviour, (answer) => ({ url: request.url, headers: {}, ...answer }))
    })
})

/** Sends messages to a provider in a test, as the settings say. */
export const sendingTo = (provider: Provider, settings: SmsProvider) =>
  Effect.provideService(make(settings), Outbound, outboundTo(provider))

/** The provider of the services in tests. */
export const sms: Provider = makeProvider()

export const layer = Layer.effect(
  TextMessages,
  sendingTo(sms, { _tag: "Https", url: Redacted.make(address), authorization: undefined })
)

/** No provider. */
export const none = Layer.succeed(TextMessages, undefined)

/** Sends all messages that are due. */
export const deliver = Effect.flatMap(SmsSending, ({ drain }) => drain)
