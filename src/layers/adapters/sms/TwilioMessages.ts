/** Hands text messages over to Twilio. */
import { Effect, Option, Redacted, Schema } from "effect"
import type { OutboundAnswer } from "../../../domain/outbound/Outbound.ts"
import type { TextMessages } from "../../../domain/sms/TextMessages.ts"
import type { SmsProvider } from "../../process/SmsAddress.ts"
import { makeHandingOver } from "./HandingOver.ts"

type Options = Extract<SmsProvider, { readonly _tag: "Twilio" }>

const Refusal = Schema.fromJsonString(Schema.Struct({ code: Schema.Int }))

/** The number of an error, which Twilio explains on its pages. What it says itself may repeat the phone number. */
const detailOf = ({ body }: OutboundAnswer): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(new TextDecoder().decode(body)), {
    onNone: () => "",
    onSome: ({ code }) => ` (error ${code})`
  })

const bytesOf = (text: string) => new TextEncoder().encode(text)

export const make = ({ account, sender, token }: Options) =>
  Effect.map(
    makeHandingOver(detailOf),
    (handOver): NonNullable<TextMessages["Service"]> => ({
      send: ({ text, to }) => {
        const from = sender.startsWith("MG") ? "MessagingServiceSid" : "From"
        const form = new URLSearchParams([
          ["To", to],
          [from, sender],
          ["Body", text]
        ])
        const basic = bytesOf(`${account}:${Redacted.value(token)}`).toBase64()
        return handOver({
          url: `https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`,
          body: { contentType: "application/x-www-form-urlencoded", bytes: bytesOf(form.toString()) },
          headers: { authorization: `Basic ${basic}` }
        })
      }
    })
  )
