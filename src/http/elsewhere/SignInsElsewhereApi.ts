import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RegistrationClosed, SignInSuspended } from "../../domain/authentication/Password.ts"
import {
  awayMinutes,
  ElsewhereRefused,
  IdentityTaken,
  OAuthCallback,
  ProviderMark,
  ProviderUnavailable,
  ProviderUnknown,
  TooManyIdentities
} from "../../domain/elsewhere/Elsewhere.ts"
import { Id } from "../../domain/shared/Id.ts"
import { AuthSuccess } from "../authentication/AuthenticationApi.ts"
import { anyoneByCookie } from "../contract/AccessPolicies.ts"
import { CacheControl, Location } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

const Redirect = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(302).annotate({ description: "Sign in at `Location`" }),
  { location: Location, "cache-control": CacheControl }
)

const provider = { oauth_provider: ProviderMark }

export class SignInsElsewhereApi extends HttpApiGroup.make("signInsElsewhere")
  .add(
    HttpApiEndpoint.get("begin", "/:oauth_provider/start", {
      params: provider,
      query: {
        invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The id of the invitation, if any" })
      },
      success: Redirect,
      error: [ProviderUnknown, ProviderUnavailable]
    }).pipe(
      operation({
        id: "OAuthProviderStart",
        cost: "quick",
        units: 10,
        summary: "Begin to sign in at a provider",
        description:
          "For browsers: goes to the provider, which sends people back to the page `/auth/{oauth_provider}/callback` at the web address of the instance. That page calls `OAuthProviderCallback`, with the cookie that this answer sets.",
        access: anyoneByCookie,
        setsCookie: `What has to be sent when the person comes back within ${awayMinutes} minutes`
      })
    ),
    HttpApiEndpoint.post("finish", "/:oauth_provider/callback", {
      params: provider,
      payload: OAuthCallback,
      success: AuthSuccess,
      error: [
        ProviderUnknown,
        ElsewhereRefused,
        RegistrationClosed,
        SignInSuspended,
        IdentityTaken,
        TooManyIdentities,
        ProviderUnavailable
      ]
    }).pipe(
      operation({
        id: "OAuthProviderCallback",
        cost: "write",
        summary: "Sign in or up with an account at a provider, or add one",
        description:
          "For guests: signs in to the account that has this account at the provider, or makes one, with a handle like the name there. Never finds an account by its address. For accounts: adds a way to sign in. An address that the provider has verified is added, unless an account has it. Starts a session. Each state is taken once.",
        access: anyoneByCookie,
        setsSession: true
      })
    )
  )
  .prefix("/auth/oauth")
  .annotateMerge(
    OpenApi.annotations({
      title: "sign-ins elsewhere",
      description: "Sign up and in with accounts at other services (OpenID Connect and OAuth 2)"
    })
  ) {}
