import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  OAuthRefreshTokenListResult,
  OAuthRefreshTokenNotFound
} from "../../domain/oauthgrant/RefreshToken.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { OAuthError } from "../../domain/shared/OAuthError.ts"
import { membersByCookieWith, membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = { oauth_refresh_token_id: Text.mark({ description: "The id of the refresh token" }) }

export class OwnRefreshTokensApi extends HttpApiGroup.make("ownRefreshTokens")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pagedQuery,
      success: OAuthRefreshTokenListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "OAuthRefreshTokenList",
        cost: "quick",
        summary: "List your refresh tokens",
        description:
          "What you have granted to programs that may come back, newest first. Tokens that are worth nothing any more stay for a week after they expire.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:oauth_refresh_token_id", {
      params,
      success: Deleted,
      error: OAuthError
    }).pipe(
      operation({
        id: "OAuthRefreshTokenDelete",
        cost: "write",
        summary: "Revoke a refresh token of yours",
        description: "All that was granted with it ends, with the next request.",
        access: membersByCookieWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/auth/oauth/tokens")
  .annotateMerge(
    OpenApi.annotations({ title: "your refresh tokens", description: "What you have granted to programs" })
  ) {}

export class AdminRefreshTokensApi extends HttpApiGroup.make("adminRefreshTokens")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pagedQuery,
      success: OAuthRefreshTokenListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "AdminOAuthRefreshTokenList",
        cost: "quick",
        summary: "List the refresh tokens of all accounts",
        description: "What all have granted to programs that may come back, newest first.",
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:oauth_refresh_token_id", {
      params,
      success: Deleted,
      error: OAuthRefreshTokenNotFound
    }).pipe(
      operation({
        id: "AdminOAuthRefreshTokenDelete",
        cost: "write",
        summary: "Revoke a refresh token of any account",
        description: "All that was granted with it ends, with the next request.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/oauth/refresh-tokens")
  .annotateMerge(
    OpenApi.annotations({
      title: "refresh tokens of all accounts",
      description: "What all have granted to programs"
    })
  ) {}
