import { Effect, Layer } from "effect"
import { TextMessages } from "../../../domain/sms/TextMessages.ts"
import { Settings } from "../../process/Settings.ts"
import type { SmsProvider } from "../../process/SmsAddress.ts"
import * as HttpsMessages from "./HttpsMessages.ts"
import * as TwilioMessages from "./TwilioMessages.ts"

/** Sends messages by this provider. */
export const make = (provider: SmsProvider) =>
  provider._tag === "Twilio" ? TwilioMessages.make(provider) : HttpsMessages.make(provider)

/** The provider of the settings, if there is one. */
export const layer = Layer.effect(
  TextMessages,
  Effect.flatMap(Settings, ({ sms }) => (sms === undefined ? Effect.undefined : make(sms)))
)
