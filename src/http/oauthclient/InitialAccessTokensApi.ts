import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  InitialAccessToken,
  InitialAccessTokenExpiryInvalid,
  InitialAccessTokenIssued,
  InitialAccessTokenNotFound,
  initialTokensMax,
  NewInitialAccessToken,
  TooManyInitialAccessTokens
} from "../../domain/oauthclient/InitialAccessToken.ts"
import { initialToken } from "../../domain/oauthclient/InitialAccessTokenExamples.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const InitialAccessTokenListResult = Schema.Struct({
  initial_access_tokens: Schema.Array(InitialAccessToken)
})
  .annotate({
    identifier: "OAuthInitialAccessTokenListResult",
    description: "Tokens with which programs register clients, newest first"
  })
  .pipe(withExample({ initial_access_tokens: [initialToken] }))

const Revoked = HttpApiSchema.NoContent.annotate({ description: "The token does not work any more" })

export class InitialAccessTokensApi extends HttpApiGroup.make("initialAccessTokens")
  .add(
    HttpApiEndpoint.get("list", "/", { success: InitialAccessTokenListResult }).pipe(
      operation({
        id: "AdminOAuthInitialAccessTokenList",
        cost: "quick",
        summary: "List the initial access tokens",
        description: `Newest first, with those that do not work any more; ${initialTokensMax} at most.`,
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewInitialAccessToken,
      success: InitialAccessTokenIssued,
      error: [InitialAccessTokenExpiryInvalid, TooManyInitialAccessTokens]
    }).pipe(
      operation({
        id: "AdminOAuthInitialAccessTokenCreate",
        cost: "write",
        summary: "Create an initial access token",
        description:
          "A bearer token with which programs register clients, and nothing else. `token` is shown this once.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:initial_access_token_id", {
      params: { initial_access_token_id: Text.mark({ description: "The id of the token" }) },
      success: Revoked,
      error: InitialAccessTokenNotFound
    }).pipe(
      operation({
        id: "AdminOAuthInitialAccessTokenDelete",
        cost: "write",
        summary: "Revoke an initial access token",
        description: "It stops working at once and stays listed. Clients that were registered with it stay.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/oauth/initial-access-tokens")
  .annotateMerge(
    OpenApi.annotations({
      title: "initial access tokens",
      description: "Tokens with which programs register clients by themselves"
    })
  ) {}
