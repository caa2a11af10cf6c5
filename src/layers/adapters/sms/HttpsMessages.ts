/** Hands text messages over to an address that takes them as JSON: `to` and `text`. */
import { Effect, Redacted } from "effect"
import type { TextMessages } from "../../../domain/sms/TextMessages.ts"
import type { SmsProvider } from "../../process/SmsAddress.ts"
import { makeHandingOver } from "./HandingOver.ts"

type Options = Extract<SmsProvider, { readonly _tag: "Https" }>

export const make = ({ authorization, url }: Options) =>
  Effect.map(
    // What it says of a refusal is not read: it may repeat the message.
    makeHandingOver(() => ""),
    (handOver): NonNullable<TextMessages["Service"]> => ({
      send: ({ id, text, to }) =>
        handOver({
          url: Redacted.value(url),
          body: {
            contentType: "application/json",
            bytes: new TextEncoder().encode(JSON.stringify({ to, text }))
          },
          headers: {
            // The same for each try of a message, so that who takes it twice can tell.
            "idempotency-key": id,
            ...(authorization === undefined ? {} : { authorization: Redacted.value(authorization) })
          }
        })
    })
  )
