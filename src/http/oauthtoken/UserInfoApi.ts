import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OAuthUserInfo } from "../../domain/oauthtoken/OAuthUserInfo.ts"
import { accountsByToken } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const description =
  "The id of the account, and what the scopes of the token tell of the person: `profile` and `email`. It is told as it is now."

export class UserInfoApi extends HttpApiGroup.make("userInfo")
  .add(
    HttpApiEndpoint.get("get", "/userinfo", { success: OAuthUserInfo }).pipe(
      operation({
        id: "OAuthUserInfo",
        cost: "quick",
        summary: "Read for whom an access token is",
        description,
        access: accountsByToken
      })
    ),
    // Clients may use either method (OpenID Connect Core 1.0, 5.3.1).
    HttpApiEndpoint.post("getByPost", "/userinfo", { success: OAuthUserInfo }).pipe(
      operation({
        id: "OAuthUserInfoByPost",
        cost: "quick",
        summary: "Read for whom an access token is, by POST",
        description: `The same as by GET. ${description}`,
        access: accountsByToken
      })
    )
  )
  .prefix("/oauth")
  .annotateMerge(
    OpenApi.annotations({
      title: "user info of OAuth",
      description: "What clients are told of the people for whom they act"
    })
  ) {}
