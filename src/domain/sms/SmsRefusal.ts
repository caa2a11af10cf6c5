/** Why a text message is not sent. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { textLimits } from "./SmsRules.ts"

export class TextLimitReached extends Problem<TextLimitReached>()("TextLimitReached", {
  status: 403,
  title: "Too many text messages today; try again later",
  explanation: `Within a day ${textLimits.number} text messages go to a number, and ${textLimits.network} are sent for a network. Nothing was changed. \`retry_after\` says in how many seconds there may be another one.`,
  metadata: { retry_after: Schema.Int }
}) {}

export class SmsDisabled extends Problem<SmsDisabled>()("SmsDisabled", {
  status: 403,
  title: "This instance sends no text messages",
  explanation: "What needs them is available where the operator has set a provider of text messages."
}) {}
