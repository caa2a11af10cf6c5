import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuthenticationBusy } from "../../domain/authentication/Password.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  ChangedMetadata,
  ClientMetadata,
  Registration,
  registrationsPerDay,
  TooManyRegistrations,
  unusedDays
} from "../../domain/oauthclient/Registration.ts"
import { OAuthError, OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
import { anyone } from "../contract/AccessPolicies.ts"
import { CacheControl, Pragma } from "../contract/Headers.ts"
import { refusedAddress, refusedMetadata } from "../contract/OAuthRefusal.ts"
import { operation } from "../contract/Operation.ts"

const secretly = { "cache-control": CacheControl, pragma: Pragma }

const Registered = HttpApiSchema.WithHeaders(Registration.pipe(HttpApiSchema.status(201)), secretly)
const Known = HttpApiSchema.WithHeaders(Registration, secretly)
const Unregistered = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(204).annotate({ description: "Deleted; no content" }),
  secretly
)

const params = { client_id: Text.mark({ description: "The `client_id` of the client" }) }

export class RegistrationsApi extends HttpApiGroup.make("oauthRegistrations")
  .add(
    HttpApiEndpoint.post("register", "/", {
      payload: ClientMetadata,
      success: Registered,
      error: [OAuthError, OAuthUnauthorized, TooManyRegistrations, AuthenticationBusy]
    }).pipe(
      operation({
        id: "OAuthClientRegister",
        cost: "hashing",
        units: 10,
        summary: "Register a client",
        description: `For programs that register by themselves (RFC 7591). The bearer token is an initial access token, which an administrator made; where the instance is open to all, none is needed, and a network registers ${registrationsPerDay} clients a day. A client that nobody uses for ${unusedDays} days is deleted. Who the caller is makes no difference: the client belongs to nobody.`,
        access: anyone,
        refusesAs: refusedMetadata
      })
    ),
    HttpApiEndpoint.get("get", "/:client_id", {
      params,
      success: Known,
      error: [OAuthError, OAuthUnauthorized]
    }).pipe(
      operation({
        id: "OAuthClientRegistrationGet",
        cost: "quick",
        summary: "Get the registration of a client",
        description:
          "For the client itself (RFC 7592): the bearer token is its `registration_access_token`. Its secret is not shown again.",
        access: anyone,
        refusesAs: refusedAddress
      })
    ),
    HttpApiEndpoint.put("update", "/:client_id", {
      params,
      payload: ChangedMetadata,
      success: Known,
      error: [OAuthError, OAuthUnauthorized, AuthenticationBusy]
    }).pipe(
      operation({
        id: "OAuthClientRegistrationUpdate",
        cost: "hashing",
        units: 10,
        summary: "Replace the registration of a client",
        description:
          "For the client itself (RFC 7592): the bearer token is its `registration_access_token`, and the one in the answer replaces it. What is absent becomes what it is for a client that registers without it. The secret stays, unless the client had none and needs one, or needs none any more.",
        access: anyone,
        refusesAs: refusedMetadata
      })
    ),
    HttpApiEndpoint.delete("delete", "/:client_id", {
      params,
      success: Unregistered,
      error: [OAuthError, OAuthUnauthorized]
    }).pipe(
      operation({
        id: "OAuthClientRegistrationDelete",
        cost: "write",
        summary: "Delete the registration of a client",
        description:
          "For the client itself (RFC 7592): the bearer token is its `registration_access_token`. Nobody can use the client from then on, and nothing that it was granted.",
        access: anyone,
        refusesAs: refusedAddress
      })
    )
  )
  .prefix("/oauth/register")
  .annotateMerge(
    OpenApi.annotations({
      title: "OAuth registration",
      description: "Programs that register as clients of OAuth by themselves"
    })
  ) {}
