import { client } from "../oauthclient/OAuthClientExamples.ts"
import { refreshToken } from "../oauthgrant/GrantExamples.ts"

const token = "Xo1rT6m0c8Vb2Yq4ZsWd9LfKhJgPaUeN3iRxMtBvCwE"

export const tokenRequest = {
  grant_type: "refresh_token",
  client_id: client.client_id,
  client_secret: "fos_0bLk6n3hV2Qf1S9mTzYw8uXcRaEiGdPoJqKvNsWtHyM",
  refresh_token: token
} as const

export const tokenResponse = {
  access_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IjVmM2EwYiJ9.eyJzdWIiOiJkYzB2In0.c2lnbmF0dXJl",
  token_type: "Bearer",
  expires_in: 900,
  scope: refreshToken.scope,
  refresh_token: "p9NqLw0Zb7Rk3Xc5Vd1Tf8Gh2Jm4Sy6Ua-QeWiOrKlE"
} as const
