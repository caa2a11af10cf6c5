import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuthenticationBusy } from "../../domain/authentication/Password.ts"
import { withExample } from "../../domain/field/Example.ts"
import { Introspected } from "../../domain/oauthtoken/Introspection.ts"
import { statusRequest } from "../../domain/oauthtoken/TokenExamples.ts"
import { OAuthError, OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
import { everyone } from "../contract/AccessPolicies.ts"
import { clientIdField, formField, maxForm, notKeptHeaders } from "../contract/OAuthForm.ts"
import { refusedWith } from "../contract/OAuthRefusal.ts"
import { operation } from "../contract/Operation.ts"

const StatusForm = Schema.Struct({
  token: formField("An access token or a refresh token, which is required", 4096),
  token_type_hint: formField("What the token is. It is found without it.", 100),
  client_id: clientIdField("The id by which the client names itself, where it does not use HTTP Basic"),
  client_secret: formField("The secret of a confidential client, where it does not use HTTP Basic")
})
  .annotate({
    identifier: "OAuthTokenStatusProps",
    description: "A token that a client asks about, or ends"
  })
  .pipe(withExample(statusRequest), HttpApiSchema.asFormUrlEncoded())

const declared = {
  cost: "write",
  maxBody: maxForm,
  refusesAs: refusedWith(() => "invalid_request"),
  access: everyone
} as const

const error = [OAuthError, OAuthUnauthorized, AuthenticationBusy]

export class TokenStatusApi extends HttpApiGroup.make("tokenStatus")
  .add(
    HttpApiEndpoint.post("revoke", "/revoke", {
      payload: StatusForm,
      success: HttpApiSchema.WithHeaders(
        HttpApiSchema.Empty(200).annotate({ description: "The token is worth nothing" }),
        notKeptHeaders
      ),
      error
    }).pipe(
      operation({
        id: "OAuthRevoke",
        summary: "End a token",
        description:
          "For the client that it was issued to (RFC 7009). With a refresh token all that was granted with it ends. A token that is unknown counts as ended.",
        ...declared
      })
    ),
    HttpApiEndpoint.post("introspect", "/introspect", {
      payload: StatusForm,
      success: HttpApiSchema.WithHeaders(Introspected, notKeptHeaders),
      error
    }).pipe(
      operation({
        id: "OAuthIntrospect",
        summary: "Read what a token is worth",
        description:
          "For confidential clients, of their own tokens (RFC 7662). Any other token is not active.",
        ...declared
      })
    )
  )
  .prefix("/oauth")
  .annotateMerge(
    OpenApi.annotations({ title: "status of tokens", description: "What tokens are worth, and their end" })
  ) {}
