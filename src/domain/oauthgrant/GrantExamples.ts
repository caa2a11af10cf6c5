import { odin } from "../account/AccountExamples.ts"
import { client } from "../oauthclient/OAuthClientExamples.ts"

export const refreshToken = {
  id: "dc3v1s7khh6uivg000jg",
  createdAt: "2026-11-26T10:02:51.004Z",
  oauth_client_id: client.id,
  client_id: client.client_id,
  client_name: client.name,
  account_id: odin.id,
  scope: "openid offline_access READ_PUBLISHED_THREADS",
  expires_at: "2026-12-26T10:02:51.004Z"
} as const
