import { odin } from "../account/AccountExamples.ts"
import { client } from "../oauthclient/OAuthClientExamples.ts"

const user_code = "7QXM-K2PD"

export const start = { client_id: "forum-cli", scope: "openid profile offline_access" } as const

export const started = {
  device_code: "Zt5q0Yw3kHn8Bv1Rc6Xm9Fd2Js7La4PgUeQoTiNxKyM",
  user_code,
  verification_uri: "https://forum.example/oauth/consent",
  verification_uri_complete: `https://forum.example/oauth/consent?user_code=${user_code}`,
  expires_in: 600,
  interval: 5
} as const

const expires_at = "2026-11-26T10:12:51.004Z"

export const consent = {
  user_code,
  client_id: "forum-cli",
  client_name: "Forum",
  expires_at,
  requested_scopes: ["openid", "profile", "offline_access"],
  granted_scopes: ["openid", "profile", "offline_access", "CREATE_POST", "READ_PUBLISHED_THREADS"],
  inherits_user_permissions: true
} as const

export const decision = { user_code, decision: "approve" } as const

export const record = {
  id: "dc3v1s7khh6uivg000mg",
  createdAt: "2026-11-26T10:02:51.004Z",
  client_id: client.id,
  user_code,
  scope: "openid READ_PUBLISHED_THREADS",
  expires_at,
  poll_interval_seconds: 5,
  last_polled_at: "2026-11-26T10:03:41.120Z",
  approved_by_account_id: odin.id,
  approved_at: "2026-11-26T10:03:39.870Z",
  consumed_at: "2026-11-26T10:03:41.120Z"
} as const
