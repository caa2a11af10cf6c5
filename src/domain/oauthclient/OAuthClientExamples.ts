import { odin } from "../account/AccountExamples.ts"

const created = "2026-11-26T09:12:04.310Z"

export const client = {
  id: "dc3v0u7khh6uivg000bg",
  createdAt: created,
  updatedAt: created,
  account_id: odin.id,
  client_id: "harbour-archive",
  name: "Harbour archive",
  type: "confidential",
  scope_policy: "explicit",
  redirect_uris: ["https://archive.example/callback"],
  allowed_scopes: ["openid", "READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"],
  allowed_grants: ["authorization_code", "refresh_token"]
} as const

const { account_id, allowed_grants, client_id, name, redirect_uris, scope_policy, type } = client

export const newClient = {
  account_id,
  client_id,
  name,
  type,
  scope_policy,
  redirect_uris,
  allowed_scopes: client.allowed_scopes,
  allowed_grants
} as const

const secret = "fos_0bLk6n3hV2Qf1S9mTzYw8uXcRaEiGdPoJqKvNsWtHyM"

export const createdClient = { ...client, client_secret: secret } as const

export const clientChanges = {
  name: "Archive of the harbour",
  redirect_uris: ["https://archive.example/callback", "http://127.0.0.1/callback"]
} as const

/** What an administrator made for themselves: it has a generated id and names permissions only. */
export const ownClient = {
  ...client,
  client_id: "foc_mS1Yx0aB7cD3eF9gH5iJ1kL7mN3oP9qR5sT1uV7wX3y",
  allowed_scopes: ["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"]
} as const

export const issuedClient = { client: ownClient, client_secret: secret } as const

export const newOwnClient = {
  name,
  type,
  redirect_uris,
  allowed_scopes: ownClient.allowed_scopes,
  allowed_grants,
  pkce_required: true
} as const
