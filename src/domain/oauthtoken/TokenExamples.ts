import { odin } from "../account/AccountExamples.ts"
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

const { client_id, client_secret } = tokenRequest

/** A request that asks about a token, or ends it. */
export const statusRequest = { token, client_id, client_secret } as const

export const introspected = {
  active: true,
  scope: refreshToken.scope,
  client_id,
  username: "odin",
  sub: refreshToken.account_id,
  iss: "https://forum.example",
  iat: 1_795_687_371,
  exp: 1_798_279_371
} as const

export const userInfo = {
  sub: odin.id,
  name: odin.name,
  preferred_username: odin.handle,
  email: "odin@asgard.example",
  email_verified: true
} as const
