/** A client as statements answer it. */
import { Option, Schema } from "effect"
import { ClientScope, ClientType, Grant, ScopePolicy } from "../../domain/oauthclient/OAuthClientFields.ts"
import type { StoredClient } from "../../domain/oauthclient/OAuthClientStore.ts"
import { AccountId, OAuthClientId } from "../../domain/shared/Id.ts"
import { toTimestamp } from "../shared/Rows.ts"

export const ClientRow = Schema.Struct({
  id: OAuthClientId,
  account_id: Schema.NullOr(AccountId),
  origin: Schema.Literals(["built-in", "administrator", "registered", "document"]),
  client_id: Schema.String,
  name: Schema.String,
  type: ClientType,
  scope_policy: ScopePolicy,
  redirect_uris: Schema.Array(Schema.String),
  allowed_scopes: Schema.Array(ClientScope),
  allowed_grants: Schema.Array(Grant),
  pkce_required: Schema.Boolean,
  created_at: Schema.Date,
  updated_at: Schema.Date
})

export const columns = Object.keys(ClientRow.fields).join(", ")

export const clientOf = (row: typeof ClientRow.Type): StoredClient => ({
  shown: {
    id: row.id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    ...(row.account_id === null ? {} : { account_id: row.account_id }),
    client_id: row.client_id,
    name: row.name,
    type: row.type,
    scope_policy: row.scope_policy,
    redirect_uris: row.redirect_uris,
    allowed_scopes: row.allowed_scopes,
    allowed_grants: row.allowed_grants
  },
  isBuiltIn: row.origin === "built-in",
  pkceRequired: row.pkce_required
})

/** The client of a row, if there is one. */
export const clientIn = (row: typeof ClientRow.Type | undefined): Option.Option<StoredClient> =>
  Option.map(Option.fromUndefinedOr(row), clientOf)
