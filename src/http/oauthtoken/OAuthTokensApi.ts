import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuthenticationBusy } from "../../domain/authentication/Password.ts"
import { withExample } from "../../domain/field/Example.ts"
import { tokenRequest, tokenResponse } from "../../domain/oauthtoken/TokenExamples.ts"
import { OAuthError, OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
import { scopeTextMax } from "../../domain/vocabulary/Scope.ts"
import { everyone } from "../contract/AccessPolicies.ts"
import { clientIdField, formField, maxForm, notKeptHeaders } from "../contract/OAuthForm.ts"
import { refusedWith } from "../contract/OAuthRefusal.ts"
import { operation } from "../contract/Operation.ts"

const clientFields = {
  client_id: clientIdField("The id by which the client names itself, where it does not use HTTP Basic"),
  client_secret: formField("The secret of a confidential client, where it does not use HTTP Basic")
}

const TokenForm = Schema.Struct({
  grant_type: formField(
    "What the client has: `authorization_code`, `refresh_token`, `client_credentials` or `urn:ietf:params:oauth:grant-type:device_code`"
  ),
  ...clientFields,
  scope: formField("What the client wants to do for its owner, separated by spaces", scopeTextMax),
  device_code: formField("The code of a device that waits for an approval"),
  code: formField("The code of an approval"),
  redirect_uri: formField("The address that the code was sent to", 2048),
  code_verifier: formField("What the challenge of the authorisation was made of (RFC 7636)"),
  refresh_token: formField("The refresh token, which is spent by this")
})
  .annotate({
    identifier: "OAuthTokenProps",
    description: "What a client has to get tokens for. Empty fields are absent."
  })
  .pipe(withExample(tokenRequest), HttpApiSchema.asFormUrlEncoded())

const TokenResponse = Schema.Struct({
  access_token: Schema.String.annotate({ description: "Sent as `Authorization: Bearer` with each request" }),
  token_type: Schema.Literal("Bearer").annotate({ description: "How it is sent" }),
  expires_in: Schema.Int.annotate({ description: "How long it is valid, in seconds" }),
  scope: Schema.String.annotate({ description: "What was granted, as words that are separated by spaces" }),
  id_token: Schema.optionalKey(Schema.String).annotateKey({
    description: "Who has signed in; with the scope `openid`"
  }),
  refresh_token: Schema.optionalKey(Schema.String).annotateKey({
    description: "Gets new tokens, once; with the scope `offline_access`, for clients that may come back"
  })
})
  .annotate({ identifier: "OAuthToken", description: "The tokens that a client gets" })
  .pipe(withExample(tokenResponse))

export class OAuthTokensApi extends HttpApiGroup.make("oauthTokens")
  .add(
    HttpApiEndpoint.post("issue", "/token", {
      payload: TokenForm,
      success: HttpApiSchema.WithHeaders(TokenResponse, notKeptHeaders),
      error: [OAuthError, OAuthUnauthorized, AuthenticationBusy]
    }).pipe(
      operation({
        id: "OAuthToken",
        cost: "write",
        maxBody: maxForm,
        refusesAs: refusedWith(() => "invalid_request"),
        summary: "Get tokens",
        description:
          "For clients, which name themselves by HTTP Basic or in the form (RFC 6749, 3.2). What they get tokens for is used up by this: a code, the code of a device, or a refresh token. Whoever uses a refresh token a second time ends all that was granted with it.",
        access: everyone
      })
    )
  )
  .prefix("/oauth")
  .annotateMerge(
    OpenApi.annotations({ title: "tokens of OAuth", description: "What clients act for accounts with" })
  ) {}
