/** Devices on which nobody can sign in, and that ask people to decide about them elsewhere (RFC 8628). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { consentFields, Decided, Decision } from "../oauthgrant/Consent.ts"
import { AccountId, OAuthClientId, OAuthDeviceId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { consent, decision, record, started } from "./DeviceExamples.ts"

/** How many devices of one network may begin within the lifetime of a code, and how many of all. The database holds both. */
export const devicesMax = { network: 100, all: 5000 }

const userCode = Schema.String.annotate({ description: "The code that the device shows, as people see it" })

export const OAuthDeviceAuthorisation = Schema.Struct({
  device_code: Schema.String.annotate({ description: "What the device asks for its tokens with" }),
  user_code: userCode,
  verification_uri: Schema.String.annotate({
    format: "uri",
    description: "Where people enter the code"
  }),
  verification_uri_complete: Schema.String.annotate({
    format: "uri",
    description: "The same with the code, to be shown as a link or picture"
  }),
  expires_in: Schema.Int.annotate({ description: "How long the codes are valid, in seconds" }),
  interval: Schema.Int.annotate({ description: "How many seconds the device waits before it asks again" })
})
  .annotate({ identifier: "OAuthDeviceAuthorisation", description: "What a device needs to ask somebody" })
  .pipe(withExample(started))
export interface OAuthDeviceAuthorisation extends Schema.Schema.Type<typeof OAuthDeviceAuthorisation> {}

export const OAuthDeviceConsent = Schema.Struct({ user_code: userCode, ...consentFields })
  .annotate({ identifier: "OAuthDeviceConsent", description: "What to decide about a device" })
  .pipe(withExample(consent))
export interface OAuthDeviceConsent extends Schema.Schema.Type<typeof OAuthDeviceConsent> {}

/** A code as somebody has typed it. What is no code is answered as an unknown one. */
export const typedCode = Text.verbatim({
  max: 256,
  description: "The code that the device shows, in any case and with or without hyphens"
})

const OAuthDeviceDecision = Decision.annotate({
  identifier: "OAuthDeviceDecision",
  description: "What you decide"
})

export const OAuthDeviceConsentSubmission = Schema.Struct({
  user_code: typedCode,
  decision: OAuthDeviceDecision
})
  .annotate({ identifier: "OAuthDeviceConsentSubmitProps", description: "A decision about a device" })
  .pipe(withExample(decision))

export const OAuthDeviceConsentResult = Schema.Struct({
  status: Decided
})
  .annotate({ identifier: "OAuthDeviceConsentResult", description: "The decision, which is final" })
  .pipe(withExample({ status: "approved" }))
export interface OAuthDeviceConsentResult extends Schema.Schema.Type<typeof OAuthDeviceConsentResult> {}

const optional = (description: string) => Schema.optionalKey(Timestamp).annotateKey({ description })

export const OAuthDeviceAuthorisationRecord = Schema.Struct({
  id: OAuthDeviceId,
  createdAt: Timestamp.annotateKey({ description: "When the device began" }),
  client_id: OAuthClientId.annotateKey({ description: "The `id` of the client" }),
  user_code: userCode,
  scope: Schema.String.annotate({
    description: "What the device asks for or, once it is approved, what was granted"
  }),
  expires_at: Timestamp.annotateKey({ description: "Until when its codes are valid" }),
  poll_interval_seconds: Schema.Int.annotate({
    description: "How long the device has to wait before it asks again; longer each time that it does not"
  }),
  last_polled_at: optional("When it asked last"),
  approved_by_account_id: Schema.optionalKey(AccountId).annotateKey({
    description: "The account that has approved it"
  }),
  approved_at: optional("When it was approved"),
  denied_at: optional("When it was denied"),
  consumed_at: optional("When it got its tokens")
})
  .annotate({
    identifier: "OAuthDeviceAuthorisationRecord",
    description: "A device that waits for a decision, or has got one"
  })
  .pipe(withExample(record))
export interface OAuthDeviceAuthorisationRecord
  extends Schema.Schema.Type<typeof OAuthDeviceAuthorisationRecord> {}

export const OAuthDeviceAuthorisationListResult = Schema.Struct({
  device_authorisations: Schema.Array(OAuthDeviceAuthorisationRecord)
})
  .annotate({
    identifier: "OAuthDeviceAuthorisationListResult",
    description: "Devices whose codes are valid, newest first"
  })
  .pipe(withExample({ device_authorisations: [record] }))

export class TooManyDevices extends Problem<TooManyDevices>()("TooManyDevices", {
  status: 429,
  title: "Too many devices of this network wait for somebody",
  explanation: `A network can begin ${devicesMax.network} times within the lifetime of a code. Try again after the seconds in \`Retry-After\`.`,
  metadata: { retry_after: Schema.Int, maximum: Schema.Int }
}) {}

export class DevicesFull extends Problem<DevicesFull>()("DevicesFull", {
  status: 503,
  title: "Too many devices wait for somebody right now",
  explanation: `An instance keeps the codes of ${devicesMax.all} devices. Try again after the seconds in \`Retry-After\`.`,
  metadata: { retry_after: Schema.Int, maximum: Schema.Int }
}) {}

export class TooManyUserCodes extends Problem<TooManyUserCodes>()("TooManyUserCodes", {
  status: 429,
  title: "Too many wrong codes; try again later",
  explanation:
    "After twenty wrong codes of one account, or a hundred of one network, in fifteen minutes, no code is taken from there until the fifteen minutes have passed.",
  metadata: { retry_after: Schema.Int }
}) {}
