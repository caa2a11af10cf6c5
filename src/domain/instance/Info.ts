import { Schema } from "effect"
import { Account } from "../account/Account.ts"
import { ownAccount } from "../account/AccountExamples.ts"
import { withExample } from "../field/Example.ts"
import { JsonObject } from "../field/Json.ts"
import { AuthMode, MessageOfTheDay, RegistrationMode } from "../settings/GeneralSetting.ts"
import { info } from "./InfoExamples.ts"

export const OnboardingStatus = Schema.Literals([
  "requires_first_account",
  "requires_category",
  "requires_more_accounts",
  "requires_first_post",
  "complete"
]).annotate({
  identifier: "OnboardingStatus",
  description: "The next step of setting up the instance"
})
export type OnboardingStatus = typeof OnboardingStatus.Type

export const InstanceCapability = Schema.Literals([
  "plugins",
  "gen_ai",
  "semdex",
  "email_client",
  "sms_client",
  "oauth",
  "robots"
]).annotate({
  identifier: "InstanceCapability",
  description: "An optional feature that is switched on"
})
export type InstanceCapability = typeof InstanceCapability.Type

const Address = Schema.String.annotate({ format: "uri", description: "Absolute, without a trailing slash" })

/** What the public settings and those of administrators have in common. */
export const instanceFields = {
  title: Schema.String,
  description: Schema.String,
  content: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  accent_colour: Schema.String.annotate({ description: "A CSS colour" }),
  authentication_mode: AuthMode,
  registration_mode: RegistrationMode,
  capabilities: Schema.Array(InstanceCapability),
  web_address: Address,
  api_address: Address,
  metadata: JsonObject,
  motd: Schema.optionalKey(MessageOfTheDay)
}

/** What everyone may know of an instance. */
export const Info = Schema.Struct({
  ...instanceFields,
  onboarding_status: OnboardingStatus
})
  .annotate({
    identifier: "Info",
    description: "The public settings of the instance"
  })
  .pipe(withExample(info))
export interface Info extends Schema.Schema.Type<typeof Info> {}

/** The instance, and the account of the caller. */
export const SessionInfo = Schema.Struct({
  info: Info,
  account: Schema.optionalKey(Account),
  client: Schema.optionalKey(
    Schema.Struct({
      ip_address: Schema.String.annotate({
        description: "The address that the request comes from, by the settings"
      }),
      ip_address_ssr: Schema.optionalKey(Schema.String).annotateKey({
        description:
          "The same, if the request says by `X-Storyden-Ssr` that a frontend renders a page on its server"
      })
    }).annotate({
      identifier: "ClientInfo",
      description: "What the service knows of the caller's device"
    })
  )
})
  .annotate({
    identifier: "SessionInfo",
    description: "The instance, and the account of the caller"
  })
  .pipe(withExample({ info, account: ownAccount, client: { ip_address: "203.0.113.7" } }))
export interface SessionInfo extends Schema.Schema.Type<typeof SessionInfo> {}
