import { Schema } from "effect"
import { AuthMethod, RemoteStatus } from "../../domain/remoteresource/RemoteConnection.ts"
import type { StoredConnection } from "../../domain/remoteresource/RemoteConnectionStore.ts"
import { RemoteMode } from "../../domain/remoteresource/RemoteMetadata.ts"
import { AccountId, RemoteConnectionId } from "../../domain/shared/Id.ts"
import { decoded } from "../shared/Query.ts"
import { toDateTime, toTimestamp } from "../shared/Rows.ts"

const text = Schema.NullOr(Schema.String)
const bytes = Schema.NullOr(Schema.Uint8Array)
const instant = Schema.NullOr(Schema.Date)

const Row = Schema.Struct({
  id: RemoteConnectionId,
  account_id: AccountId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  resource_url: Schema.String,
  authorization_server: text,
  mode: RemoteMode,
  status: RemoteStatus,
  last_error: text,
  resource: text,
  resource_name: text,
  client_id: Schema.String,
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  registration_endpoint: text,
  token_endpoint_auth_method: AuthMethod,
  redirect_uri: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  scope: text,
  issuer: text,
  names_itself: Schema.Boolean,
  client_secret: bytes,
  access_token: bytes,
  refresh_token: bytes,
  token_type: text,
  token_expiry: instant,
  revision: Schema.Int,
  lease_holder: text,
  lease_until: instant
})
type Row = typeof Row.Type

export const rows = decoded(Row)

export const columns = Object.keys(Row.fields).join(", ")

const shownOf = (row: Row): StoredConnection["shown"] => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  resource_url: row.resource_url,
  ...(row.resource === null ? {} : { resource: row.resource }),
  ...(row.resource_name === null ? {} : { resource_name: row.resource_name }),
  ...(row.authorization_server === null ? {} : { authorization_server: row.authorization_server }),
  mode: row.mode,
  status: row.status,
  client_id: row.client_id,
  has_client_secret: row.client_secret !== null,
  authorization_endpoint: row.authorization_endpoint,
  token_endpoint: row.token_endpoint,
  ...(row.registration_endpoint === null ? {} : { registration_endpoint: row.registration_endpoint }),
  token_endpoint_auth_method: row.token_endpoint_auth_method,
  redirect_uri: row.redirect_uri,
  redirect_uris: row.redirect_uris,
  ...(row.scope === null ? {} : { scope: row.scope }),
  has_access_token: row.access_token !== null,
  has_refresh_token: row.refresh_token !== null,
  ...(row.token_type === null ? {} : { token_type: row.token_type }),
  ...(row.token_expiry === null ? {} : { token_expiry: toTimestamp(row.token_expiry) }),
  ...(row.last_error === null ? {} : { last_error: row.last_error })
})

export const connectionOf = (row: Row): StoredConnection => ({
  shown: shownOf(row),
  identity: {
    accountId: row.account_id,
    resourceUrl: row.resource_url,
    authorisationServer: row.authorization_server ?? undefined
  },
  terms: {
    clientId: row.client_id,
    authorisationEndpoint: row.authorization_endpoint,
    tokenEndpoint: row.token_endpoint,
    method: row.token_endpoint_auth_method,
    redirectUri: row.redirect_uri,
    resource: row.resource ?? undefined,
    scope: row.scope ?? undefined,
    issuer: row.issuer ?? undefined,
    namesItself: row.names_itself
  },
  sealedSecret: row.client_secret ?? undefined,
  sealedAccessToken: row.access_token ?? undefined,
  sealedRefreshToken: row.refresh_token ?? undefined,
  expiry: row.token_expiry === null ? undefined : toDateTime(row.token_expiry),
  lease:
    row.lease_until === null
      ? undefined
      : { holder: row.lease_holder ?? undefined, until: toDateTime(row.lease_until) },
  revision: row.revision
})
