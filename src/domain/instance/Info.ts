import { Schema } from "effect"
import { Account } from "../account/Account.ts"
import { JsonObject } from "../shared/Json.ts"

export const OnboardingStatus = Schema.Literals([
  "requires_first_account",
  "requires_category",
  "requires_more_accounts",
  "requires_first_post",
  "complete"
]).annotate({
  identifier: "OnboardingStatus",
  description: "The next step of setting up"
})
export type OnboardingStatus = typeof OnboardingStatus.Type

export const AuthMode = Schema.Literals(["handle", "email", "phone"]).annotate({
  identifier: "AuthMode",
  description: "What people sign in with"
})
export type AuthMode = typeof AuthMode.Type

const Address = Schema.String.annotate({ format: "uri", description: "Absolute, without a trailing slash" })

/** What an instance says of itself to everyone. */
export const Info = Schema.Struct({
  title: Schema.String,
  description: Schema.String,
  content: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  accent_colour: Schema.String,
  onboarding_status: OnboardingStatus,
  authentication_mode: AuthMode,
  registration_mode: Schema.Literals(["public", "invitation", "disabled"]).annotate({
    identifier: "RegistrationMode",
    description: "Who may sign up"
  }),
  capabilities: Schema.Array(
    Schema.Literals([
      "plugins",
      "gen_ai",
      "semdex",
      "email_client",
      "sms_client",
      "oauth",
      "robots"
    ]).annotate({
      identifier: "InstanceCapability",
      description: "Something that is switched on here"
    })
  ),
  web_address: Address,
  api_address: Address,
  metadata: JsonObject
}).annotate({
  identifier: "Info",
  description: "What an instance says of itself to everyone"
})
export interface Info extends Schema.Schema.Type<typeof Info> {}

/** The instance as one caller finds it. */
export const SessionInfo = Schema.Struct({
  info: Info,
  account: Schema.optionalKey(Account),
  client: Schema.optionalKey(
    Schema.Struct({ ip_address: Schema.String }).annotate({
      identifier: "ClientInfo",
      description: "How the service sees the caller"
    })
  )
}).annotate({
  identifier: "SessionInfo",
  description: "The instance as one caller finds it"
})
export interface SessionInfo extends Schema.Schema.Type<typeof SessionInfo> {}

export const AuthProvider = Schema.Struct({
  provider: Schema.String,
  name: Schema.String,
  link: Schema.optionalKey(Schema.String)
}).annotate({
  identifier: "AuthProvider",
  description: "A way to sign in"
})

export const AuthProviderListResult = Schema.Struct({
  providers: Schema.Array(AuthProvider),
  mode: AuthMode
}).annotate({
  identifier: "AuthProviderListResult",
  description: "The ways to sign in"
})
