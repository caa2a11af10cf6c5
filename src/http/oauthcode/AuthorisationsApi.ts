import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  nonceMax,
  OAuthAuthoriseConsent,
  OAuthAuthoriseConsentResult,
  OAuthAuthoriseConsentSubmitProps,
  stateMax
} from "../../domain/oauthcode/Authorisation.ts"
import { OAuthError } from "../../domain/shared/OAuthError.ts"
import { scopeTextMax } from "../../domain/vocabulary/Scope.ts"
import { accountsByCookieOrKey, anyoneByCookieOrKey } from "../contract/AccessPolicies.ts"
import { CacheControl, Location } from "../contract/Headers.ts"
import { refusedWith } from "../contract/OAuthRefusal.ts"
import { operation } from "../contract/Operation.ts"

const parameter = (max: number, description: string) =>
  Schema.optionalKey(Text.verbatim({ max, description })).annotateKey({ description })

const refusesAs = refusedWith(() => "invalid_request")

const Redirect = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(302).annotate({ description: "Go to `Location`" }),
  { location: Location, "cache-control": CacheControl }
)

export class AuthorisationsApi extends HttpApiGroup.make("authorisations")
  .add(
    HttpApiEndpoint.get("begin", "/", {
      query: {
        response_type: parameter(100, "`code`, which is required"),
        client_id: parameter(2048, "The id of the client, which is required"),
        redirect_uri: parameter(
          2048,
          "Where the browser goes afterwards: an address that the client has registered"
        ),
        code_challenge: parameter(
          200,
          "The SHA-256 of the code verifier in base64url, which is required (RFC 7636)"
        ),
        code_challenge_method: parameter(100, "`S256`, which is required"),
        scope: parameter(scopeTextMax, "What the client asks for, separated by spaces"),
        state: parameter(stateMax, "Comes back as it is, so that the client knows its answer"),
        nonce: parameter(nonceMax, "Comes back in the ID token")
      },
      success: Redirect,
      error: OAuthError
    }).pipe(
      operation({
        id: "OAuthAuthorise",
        cost: "write",
        refusesAs,
        summary: "Ask somebody to let a client act for them",
        description:
          "For browsers that a client has sent: goes to the page where the person decides, with `request_id`, or to the page where they sign in, with a cookie that says where they wanted to go. What is wrong is told to the client by a redirect only if the client and its address are known.",
        access: anyoneByCookieOrKey
      })
    ),
    HttpApiEndpoint.get("show", "/consent", {
      query: { request_id: Text.verbatim({ max: 512, description: "The id of the question" }) },
      success: OAuthAuthoriseConsent,
      error: OAuthError
    }).pipe(
      operation({
        id: "OAuthAuthoriseConsent",
        cost: "quick",
        refusesAs,
        summary: "Read what a client asks for",
        description: "Only for the account that was asked. What it would grant is decided anew each time.",
        access: accountsByCookieOrKey
      })
    ),
    HttpApiEndpoint.post("decide", "/consent", {
      payload: OAuthAuthoriseConsentSubmitProps,
      success: OAuthAuthoriseConsentResult,
      error: OAuthError
    }).pipe(
      operation({
        id: "OAuthAuthoriseConsentSubmit",
        cost: "write",
        refusesAs,
        summary: "Decide about what a client asks for",
        description:
          "Once: the first decision stays. Send the browser to `location` then, with the code or with the refusal.",
        access: accountsByCookieOrKey
      })
    )
  )
  .prefix("/oauth/authorize")
  .annotateMerge(
    OpenApi.annotations({
      title: "authorisations",
      description: "People decide in their browser what a client may do for them"
    })
  ) {}
