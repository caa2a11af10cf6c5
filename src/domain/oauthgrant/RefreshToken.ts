/** Refresh tokens, as people see what they have granted. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { AccountId, OAuthClientId, OAuthTokenId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { refreshToken } from "./GrantExamples.ts"

const optional = (description: string) => Schema.optionalKey(Timestamp).annotateKey({ description })

export const OAuthRefreshToken = Schema.Struct({
  id: OAuthTokenId,
  createdAt: Timestamp.annotateKey({ description: "When it was issued" }),
  oauth_client_id: OAuthClientId.annotateKey({ description: "The `id` of the client" }),
  client_id: Schema.String.annotate({ description: "The id by which programs name the client" }),
  client_name: Schema.String.annotate({ description: "What the client is called" }),
  account_id: AccountId.annotateKey({ description: "The account that the client acts for" }),
  scope: Schema.String.annotate({ description: "What was granted, as words that are separated by spaces" }),
  expires_at: Timestamp.annotateKey({ description: "Until when it can be used" }),
  revoked_at: optional("When it became worthless; absent as long as it is not"),
  replaced_by_token_id: Schema.optionalKey(OAuthTokenId).annotateKey({
    description: "The token that its use has replaced it by"
  }),
  last_used_at: optional("When it was used; each is used once")
})
  .annotate({
    identifier: "OAuthRefreshToken",
    description: "What a program was granted to come back with, never the token itself"
  })
  .pipe(withExample(refreshToken))
export interface OAuthRefreshToken extends Schema.Schema.Type<typeof OAuthRefreshToken> {}

export const OAuthRefreshTokenListResult = Schema.Struct({
  ...PageFields,
  tokens: Schema.Array(OAuthRefreshToken)
})
  .annotate({ identifier: "OAuthRefreshTokenListResult", description: "Refresh tokens, newest first" })
  .pipe(
    withExample({
      page_size: 50,
      results: 1,
      total_pages: 1,
      current_page: 1,
      tokens: [refreshToken]
    })
  )

export class OAuthRefreshTokenNotFound extends Problem<OAuthRefreshTokenNotFound>()(
  "OAuthRefreshTokenNotFound",
  {
    status: 404,
    title: "There is no such refresh token",
    explanation: "No refresh token has this id. Tokens are forgotten a week after they expire.",
    metadata: { oauth_refresh_token_id: Schema.String }
  }
) {}
