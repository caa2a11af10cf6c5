import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import {
  DevicesFull,
  devicesMax,
  OAuthDeviceAuthorisation,
  OAuthDeviceAuthorisationListResult,
  OAuthDeviceConsent,
  OAuthDeviceConsentResult,
  OAuthDeviceConsentSubmission,
  TooManyDevices,
  TooManyUserCodes,
  typedCode
} from "../../domain/oauthdevice/DeviceAuthorisation.ts"
import { start } from "../../domain/oauthdevice/DeviceExamples.ts"
import { OAuthError } from "../../domain/shared/OAuthError.ts"
import { scopeTextMax } from "../../domain/vocabulary/Scope.ts"
import { accountsByCookie, everyone, membersWith } from "../contract/AccessPolicies.ts"
import { clientIdField, formField, maxForm, notKeptHeaders } from "../contract/OAuthForm.ts"
import { refusedWith } from "../contract/OAuthRefusal.ts"
import { operation } from "../contract/Operation.ts"

const StartForm = Schema.Struct({
  client_id: clientIdField("The id by which the client names itself"),
  scope: formField("What the client wants to do, separated by spaces", scopeTextMax)
})
  .annotate({
    identifier: "OAuthDeviceAuthorisationProps",
    description: "What a device asks for. Empty fields are absent."
  })
  .pipe(withExample(start), HttpApiSchema.asFormUrlEncoded())

const refusesAs = refusedWith(() => "invalid_request")

/** A code costs as much as twenty other requests, as it could be guessed. */
const units = 20

export class DevicesApi extends HttpApiGroup.make("oauthDevices")
  .add(
    HttpApiEndpoint.post("start", "/device_authorization", {
      payload: StartForm,
      success: HttpApiSchema.WithHeaders(OAuthDeviceAuthorisation, notKeptHeaders),
      error: [OAuthError, TooManyDevices, DevicesFull]
    }).pipe(
      operation({
        id: "OAuthDeviceAuthorisation",
        cost: "write",
        maxBody: maxForm,
        refusesAs,
        summary: "Begin on a device",
        description: `For devices on which nobody can sign in (RFC 8628). The device shows the code and the address, and asks for its tokens with \`device_code\` until somebody has decided. A network can begin ${devicesMax.network} times within the lifetime of a code.`,
        access: everyone
      })
    ),
    HttpApiEndpoint.get("show", "/device/consent", {
      query: { user_code: Schema.optionalKey(typedCode) },
      success: OAuthDeviceConsent,
      error: [OAuthError, TooManyUserCodes]
    }).pipe(
      operation({
        id: "OAuthDeviceConsent",
        cost: "write",
        units,
        refusesAs,
        summary: "Read what to decide about a device",
        description:
          "Who reads it first can decide, and nobody else. It needs USE_OAUTH_CLIENTS. A code that is unknown, expired or already used is `invalid_request`; one that somebody else has read is `access_denied`.",
        access: accountsByCookie
      })
    ),
    HttpApiEndpoint.post("decide", "/device/consent", {
      payload: OAuthDeviceConsentSubmission,
      success: OAuthDeviceConsentResult,
      error: [OAuthError, TooManyUserCodes]
    }).pipe(
      operation({
        id: "OAuthDeviceConsentSubmit",
        cost: "write",
        units,
        refusesAs,
        summary: "Decide about a device",
        description:
          "Who has read before what to decide approves or denies it, once. The device is granted what you may do at this moment, as far as it has asked for it. To approve needs USE_OAUTH_CLIENTS. A code about which you cannot decide is `invalid_request`, whatever the reason.",
        access: accountsByCookie
      })
    )
  )
  .prefix("/oauth")
  .annotateMerge(
    OpenApi.annotations({
      title: "devices that use OAuth",
      description: "What devices ask people for, and what people decide"
    })
  ) {}

export class AdminDevicesApi extends HttpApiGroup.make("adminOAuthDevices")
  .add(
    HttpApiEndpoint.get("list", "/", { success: OAuthDeviceAuthorisationListResult }).pipe(
      operation({
        id: "AdminOAuthDeviceAuthorisationList",
        cost: "long",
        summary: "List the devices that wait",
        description: `Newest first, with those that got an answer; they are forgotten when their codes have expired. There are ${devicesMax.all} at most.`,
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/oauth/device-authorizations")
  .annotateMerge(
    OpenApi.annotations({
      title: "devices of all accounts",
      description: "What administrators see of devices that use OAuth"
    })
  ) {}
