/** Clients that register by themselves, and change and delete their registration (RFC 7591, RFC 7592). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { scopeTextMax } from "../vocabulary/Scope.ts"
import { Grant, makeRedirects, name } from "./OAuthClientFields.ts"
import { refusalOfOpenRedirect } from "./RedirectAddress.ts"
import { changedMetadata, metadata, newRegistration } from "./RegistrationExamples.ts"

/** What tokens start with by which clients change their registration. */
export const registrationTokenPrefix = "frat_"

/** Clients that a network registers within a day without a token. The database holds this limit and the next two, too. */
export const registrationsPerDay = 20

/** Clients of an instance that registered without a token, and with one. */
export const openRegistrationsMax = 500
export const tokenRegistrationsMax = 1000

/** Days after which a registered client is deleted that nobody uses. */
export const unusedDays = 7

/** Characters of all redirect addresses together: administrators list them of every client. */
export const redirectsLengthMax = 2000

/** More would name some twice. */
const wordsMax = 8

const addressMax = 2000

export const AuthMethod = Schema.Literals(["none", "client_secret_basic", "client_secret_post"]).annotate({
  identifier: "OAuthTokenEndpointAuthMethod",
  description: "How the client proves who it is where it gets tokens: by nothing, or by its secret"
})
export type AuthMethod = typeof AuthMethod.Type

const isHttps = Schema.makeFilter((text: string) => /^https:\/\/[!-~]+$/i.test(text) && URL.canParse(text), {
  expected: "an address that can be registered: absolute, with https"
})

const address = (description: string) =>
  Schema.optionalKey(Text.verbatim({ max: addressMax, format: "uri", description }).check(isHttps))

const redirects = makeRedirects(
  refusalOfOpenRedirect,
  redirectsLengthMax,
  "Where an authorisation may lead: https, or http of the same machine"
)

/** What a client says of itself. */
const said = {
  client_name: Schema.optionalKey(name),
  redirect_uris: Schema.optionalKey(redirects).annotateKey({
    description: `Where authorisations may lead: one at least, ${redirectsLengthMax} characters together`
  }),
  grant_types: Schema.optionalKey(
    Schema.Array(Schema.Literals(["authorization_code", "refresh_token"])).check(Schema.isMaxLength(wordsMax))
  ).annotateKey({ description: "How it gets tokens; both if it is absent" }),
  response_types: Schema.optionalKey(
    Schema.Array(Schema.Literals(["code"])).check(Schema.isMaxLength(wordsMax))
  ).annotateKey({ description: "What authorisations answer with" }),
  scope: Schema.optionalKey(
    Text.verbatim({ max: scopeTextMax, description: "What it may ask for, separated by spaces" })
  ).annotateKey({ description: "The standard scopes if it is absent" }),
  token_endpoint_auth_method: Schema.optionalKey(AuthMethod).annotateKey({
    description: "`client_secret_basic` if it is absent"
  }),
  application_type: Schema.optionalKey(
    Text.line({ max: 100, description: "What kind of program it is, such as `web` or `native`" })
  ),
  logo_uri: address("A picture of the client"),
  client_uri: address("A page about the client"),
  tos_uri: address("The terms of the client"),
  policy_uri: address("What the client does with data")
}

export const ClientMetadata = Schema.Struct(said)
  .annotate({
    identifier: "OAuthClientRegisterProps",
    description: "What a client says of itself that registers (RFC 7591, 2)"
  })
  .pipe(withExample(metadata))
export interface ClientMetadata extends Schema.Schema.Type<typeof ClientMetadata> {}

/** What only the service says of a client. Who changes a client must not send it back (RFC 7592, 2.2). */
export const issuedFields = [
  "registration_access_token",
  "registration_client_uri",
  "client_secret_expires_at",
  "client_id_issued_at"
] as const

const notSaid = { description: "Not to be sent: only the service says it" }

const textNotSaid = Schema.optionalKey(Text.verbatim({ max: addressMax, ...notSaid }))

const numberNotSaid = Schema.optionalKey(Schema.Int.annotate(notSaid))

export const ChangedMetadata = Schema.Struct({
  ...said,
  client_id: Text.verbatim({ max: 200, description: "The id of the client, as in the address" }),
  client_secret: Schema.optionalKey(
    Text.verbatim({ max: 200, description: "The secret of the client. It is compared, and never changed." })
  ),
  registration_access_token: textNotSaid,
  registration_client_uri: textNotSaid,
  client_secret_expires_at: numberNotSaid,
  client_id_issued_at: numberNotSaid
})
  .annotate({
    identifier: "OAuthClientRegistrationProps",
    description:
      "What a registered client says of itself from now on (RFC 7592, 2.2); what is absent, is no more"
  })
  .pipe(withExample(changedMetadata))
export interface ChangedMetadata extends Schema.Schema.Type<typeof ChangedMetadata> {}

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const uri = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, format: "uri" }))

/** A registered client, as it is told itself. */
export const Registration = Schema.Struct({
  client_id: Schema.String.annotate({ description: "The id by which programs name the client" }),
  client_secret: text("The secret of the client, where one was generated just now. It is shown this once."),
  client_id_issued_at: Schema.Int.annotate({ description: "When it registered, in seconds since 1970" }),
  client_secret_expires_at: Schema.Int.annotate({ description: "0: secrets do not expire" }),
  registration_access_token: Schema.String.annotate({
    description: "The bearer token that reads, changes and deletes the registration"
  }),
  registration_client_uri: Schema.String.annotate({
    format: "uri",
    description: "Where the registration is read, changed and deleted"
  }),
  client_name: text("What people who are asked for their approval read"),
  redirect_uris: Schema.Array(Schema.String.annotate({ format: "uri" })).annotate({
    description: "Where authorisations may lead"
  }),
  grant_types: Schema.Array(Grant).annotate({ description: "How it gets tokens" }),
  response_types: Schema.Array(Schema.String).annotate({ description: "What authorisations answer with" }),
  scope: text("What it may ask for, separated by spaces"),
  token_endpoint_auth_method: AuthMethod,
  application_type: text("What kind of program it is"),
  logo_uri: uri("A picture of the client"),
  client_uri: uri("A page about the client"),
  tos_uri: uri("The terms of the client"),
  policy_uri: uri("What the client does with data")
})
  .annotate({ identifier: "OAuthClientRegistration", description: "A client that registered by itself" })
  .pipe(withExample(newRegistration))
export interface Registration extends Schema.Schema.Type<typeof Registration> {}

export class TooManyRegistrations extends Problem<TooManyRegistrations>()("TooManyRegistrations", {
  status: 429,
  title: "Too many clients registered from this network",
  explanation: `Within a day ${registrationsPerDay} clients of a network register without a token. \`retry_after\` says in how many seconds another one may.`,
  metadata: { retry_after: Schema.Int }
}) {}
