/** What an instance says of itself, and who may join it. */
import { Schema } from "effect"
import { colour } from "../field/Colour.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { Instant } from "../shared/Instant.ts"
import { Problem } from "../shared/Problem.ts"

export const AuthMode = Schema.Literals(["handle", "email", "phone"]).annotate({
  identifier: "AuthMode",
  description: "What accounts sign in with"
})
export type AuthMode = typeof AuthMode.Type

export const RegistrationMode = Schema.Literals(["public", "invitation", "disabled"]).annotate({
  identifier: "RegistrationMode",
  description: "Who may sign up"
})
export type RegistrationMode = typeof RegistrationMode.Type

/** A text that the instance shows to everyone for some time. */
export const MessageOfTheDay = Schema.Struct({
  content: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  start_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "From when to show it; at once if absent"
  }),
  end_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "Until when to show it; always if absent"
  }),
  metadata: Schema.optionalKey(JsonObject)
}).annotate({
  identifier: "MessageOfTheDay",
  description: "A text that the instance shows to everyone for some time"
})
export interface MessageOfTheDay extends Schema.Schema.Type<typeof MessageOfTheDay> {}

const titleLength = 255
const descriptionLength = 2_000

const stored = {
  title: Schema.String,
  description: Schema.String,
  content: Schema.String,
  accent_colour: Schema.String,
  authentication_mode: AuthMode,
  registration_mode: RegistrationMode,
  reserved_handles: Schema.Array(Schema.String),
  metadata: JsonObject,
  motd: Schema.optionalKey(MessageOfTheDay)
}

/** Words that an instance may reserve. */
export const reservedHandlesMax = 200

const reservedHandleLength = 30

/** Handles that nobody gets any more; in lower case, each once. */
export const ReservedHandles = Schema.Array(
  Text.visibleLine({ max: reservedHandleLength, description: "A handle" })
)
  .check(Schema.isMaxLength(reservedHandlesMax))
  .annotate({
    description:
      "Handles that nobody may take, beside those that every instance reserves; those who have one keep it. Letter case does not matter, nor do letters that look alike."
  })

export const GeneralSettings = Schema.Struct(stored)
export interface GeneralSettings extends Schema.Schema.Type<typeof GeneralSettings> {}

/** What administrators have changed. */
export const StoredGeneral = GeneralSettings.mapFields((all) => ({
  title: Schema.optionalKey(all.title),
  description: Schema.optionalKey(all.description),
  content: Schema.optionalKey(all.content),
  accent_colour: Schema.optionalKey(all.accent_colour),
  authentication_mode: Schema.optionalKey(all.authentication_mode),
  registration_mode: Schema.optionalKey(all.registration_mode),
  reserved_handles: Schema.optionalKey(all.reserved_handles),
  metadata: Schema.optionalKey(all.metadata),
  motd: all.motd
}))
export interface StoredGeneral extends Schema.Schema.Type<typeof StoredGeneral> {}

export const generalDefaults: GeneralSettings = {
  title: "Forum",
  description: "A place to talk and to keep what was learned.",
  content: "<body></body>",
  accent_colour: "#2f6f5e",
  authentication_mode: "handle",
  registration_mode: "public",
  reserved_handles: [],
  metadata: {}
}

const content = Schema.optionalKey(Text.markup({ description: "HTML or plain text" }))

/** A change of the message of the day: absent fields stay as they are; without any field it is taken down. */
export const MessageOfTheDayChanges = Schema.Struct({
  content,
  start_at: Schema.optionalKey(Instant),
  end_at: Schema.optionalKey(Instant),
  metadata: Schema.optionalKey(Meta)
}).annotate({
  identifier: "MessageOfTheDayMutableProps",
  description: "What to change of the message of the day; `{}` takes it down"
})
export interface MessageOfTheDayChanges extends Schema.Schema.Type<typeof MessageOfTheDayChanges> {}

export const generalChangeFields = {
  title: Schema.optionalKey(
    Text.visibleLine({ max: titleLength, description: "What the instance is called" })
  ),
  description: Schema.optionalKey(
    Text.lines({ max: descriptionLength, description: "What it is for, as plain text" })
  ),
  content,
  accent_colour: Schema.optionalKey(colour),
  authentication_mode: Schema.optionalKey(AuthMode),
  registration_mode: Schema.optionalKey(RegistrationMode),
  reserved_handles: Schema.optionalKey(ReservedHandles),
  metadata: Schema.optionalKey(Meta).annotateKey({
    description: "Merged with what there is, key by key at the top level; `{}` clears it"
  }),
  motd: Schema.optionalKey(MessageOfTheDayChanges)
}

export class MessagePeriodInvalid extends Problem<MessagePeriodInvalid>()("MessagePeriodInvalid", {
  status: 400,
  title: "The message of the day ends before it starts",
  explanation: "`end_at` must not be before `start_at`; what a request leaves out of `motd` stays as it was.",
  metadata: { start_at: Schema.String, end_at: Schema.String }
}) {}

export class SettingsTooLarge extends Problem<SettingsTooLarge>()("SettingsTooLarge", {
  status: 400,
  title: "The settings are too large",
  explanation: `Texts of the settings may have 128 Ki characters of markup each, merged metadata 64 Ki characters as JSON, and 500 operations other costs than usual.`,
  metadata: { field: Schema.String, maximum: Schema.Int, length: Schema.Int }
}) {}
