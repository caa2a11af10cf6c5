import { client } from "../oauthclient/OAuthClientExamples.ts"

const request_id = "u1Kq8ZxT0vRb5Yc7Wd9Lf3HjGmNaPeSiQoXtBvCwEzM"

export const consent = {
  request_id,
  client_id: client.client_id,
  client_name: client.name,
  redirect_uri: client.redirect_uris[0],
  expires_at: "2026-11-26T10:12:51.004Z",
  requested_scopes: ["openid", "READ_PUBLISHED_THREADS"],
  granted_scopes: ["openid", "READ_PUBLISHED_THREADS"],
  inherits_user_permissions: false
} as const

export const consentDecision = { request_id, decision: "approve" } as const

export const consentResult = {
  status: "approved",
  location: `${client.redirect_uris[0]}?code=Yw2Zb4Xc6Vd8Tf0Hj1Lk3Nm5Pq7Rs9UaEgIoQeWxCvB&state=harbour&iss=https%3A%2F%2Fforum.example`
} as const
