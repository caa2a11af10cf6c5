/** The programs that may ask for tokens of OAuth (RFC 6749, 2). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import { AccountId, OAuthClientId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import {
  client,
  clientChanges,
  createdClient,
  issuedClient,
  newClient,
  newOwnClient
} from "./OAuthClientExamples.ts"
import {
  allScopes,
  ClientScope,
  ClientType,
  clientId,
  Grant,
  grants,
  name,
  permissions,
  redirects,
  ScopePolicy,
  secretHash
} from "./OAuthClientFields.ts"

/** What generated ids and secrets of clients start with, so that people and programs that look for leaked secrets know them. */
export const clientIdPrefix = "foc_"
export const secretPrefix = "fos_"

/** Clients that belong to one account. The database holds this limit and the next one, too. */
export const ownClientsMax = 50

/** Clients of an instance that administrators made: the list has all of them. */
export const clientsMax = 500

const fields = {
  id: OAuthClientId,
  createdAt: Timestamp.annotateKey({ description: "When it was created" }),
  updatedAt: Timestamp.annotateKey({ description: "When it was last changed" }),
  account_id: Schema.optionalKey(AccountId).annotateKey({
    description:
      "The account that it belongs to, and for which it acts by itself; absent if it belongs to none"
  }),
  client_id: Schema.String.annotate({ description: "The id by which programs name the client" }),
  name: Schema.String.annotate({ description: "What people who are asked for their approval read" }),
  type: ClientType,
  scope_policy: ScopePolicy,
  redirect_uris: Schema.Array(Schema.String.annotate({ format: "uri" })).annotate({
    description: "Where authorisations may lead"
  }),
  allowed_scopes: Schema.Array(ClientScope).annotate({ description: "What the client may ask for" }),
  allowed_grants: Schema.Array(Grant).annotate({ description: "How the client may get tokens" })
}

/** A client as it is shown: never with its secret. */
export const OAuthClient = Schema.Struct(fields)
  .annotate({ identifier: "OAuthClient", description: "A program that may ask for tokens" })
  .pipe(withExample(client))
export interface OAuthClient extends Schema.Schema.Type<typeof OAuthClient> {}

const secret = Schema.optionalKey(
  secretText("The secret of the client, where one was generated. It is shown this once.")
)

export const OAuthClientCreated = Schema.Struct({ ...fields, client_secret: secret })
  .annotate({ identifier: "OAuthClientCreated", description: "A client that was just created" })
  .pipe(withExample(createdClient))
export interface OAuthClientCreated extends Schema.Schema.Type<typeof OAuthClientCreated> {}

export const OAuthClientIssued = Schema.Struct({ client: OAuthClient, client_secret: secret })
  .annotate({ identifier: "OAuthClientIssued", description: "A client of one's own that was just created" })
  .pipe(withExample(issuedClient))
export interface OAuthClientIssued extends Schema.Schema.Type<typeof OAuthClientIssued> {}

export const NewOAuthClient = Schema.Struct({
  account_id: AccountId.annotateKey({ description: "The account that it belongs to" }),
  client_id: clientId,
  client_secret_hash: Schema.optionalKey(secretHash),
  name,
  type: ClientType,
  scope_policy: Schema.optionalKey(ScopePolicy).annotateKey({ description: "`explicit` if it is absent" }),
  redirect_uris: redirects,
  allowed_scopes: allScopes,
  allowed_grants: grants
})
  .annotate({ identifier: "OAuthClientCreateProps", description: "A client to create for any account" })
  .pipe(withExample(newClient))
export interface NewOAuthClient extends Schema.Schema.Type<typeof NewOAuthClient> {}

/** A change of a client: absent keys stay as they are. */
export const OAuthClientChanges = Schema.Struct({
  client_secret_hash: Schema.optionalKey(secretHash),
  name: Schema.optionalKey(name),
  scope_policy: Schema.optionalKey(ScopePolicy),
  redirect_uris: Schema.optionalKey(redirects),
  allowed_scopes: Schema.optionalKey(allScopes),
  allowed_grants: Schema.optionalKey(grants)
})
  .annotate({
    identifier: "OAuthClientUpdateProps",
    description: "What to change of a client; absent fields stay as they are"
  })
  .pipe(withExample(clientChanges))
export interface OAuthClientChanges extends Schema.Schema.Type<typeof OAuthClientChanges> {}

export const NewOwnOAuthClient = Schema.Struct({
  name,
  type: ClientType,
  redirect_uris: Schema.optionalKey(redirects),
  allowed_scopes: permissions,
  allowed_grants: grants.check(Schema.isMinLength(1)),
  pkce_required: Schema.Boolean.annotate({
    description:
      "Whether authorisations have to be proven by PKCE. All of them have to be; a public client says so by `true`."
  })
})
  .annotate({ identifier: "OAuthClientSelfCreateProps", description: "A client to create for yourself" })
  .pipe(withExample(newOwnClient))
export interface NewOwnOAuthClient extends Schema.Schema.Type<typeof NewOwnOAuthClient> {}

export const OwnOAuthClientChanges = Schema.Struct({
  name: Schema.optionalKey(name),
  redirect_uris: Schema.optionalKey(redirects),
  allowed_scopes: Schema.optionalKey(permissions)
})
  .annotate({
    identifier: "OAuthClientSelfUpdateProps",
    description: "What to change of a client of yours; absent fields stay as they are"
  })
  .pipe(withExample(clientChanges))
export interface OwnOAuthClientChanges extends Schema.Schema.Type<typeof OwnOAuthClientChanges> {}

export class OAuthClientNotFound extends Problem<OAuthClientNotFound>()("OAuthClientNotFound", {
  status: 404,
  title: "There is no such client",
  explanation:
    "No client of OAuth has this id. It is the `id` of a client, not the `client_id` that programs use.",
  metadata: { oauth_client_id: Schema.String }
}) {}

export class OAuthClientIdTaken extends Problem<OAuthClientIdTaken>()("OAuthClientIdTaken", {
  status: 409,
  title: "Another client has this id",
  explanation: "A `client_id` names one client. Choose another one.",
  metadata: { client_id: Schema.String }
}) {}

export class OAuthClientOwnerUnknown extends Problem<OAuthClientOwnerUnknown>()("OAuthClientOwnerUnknown", {
  status: 400,
  title: "The account that the client is for does not exist",
  explanation: "No account has the id in `account_id`.",
  metadata: { account_id: Schema.String }
}) {}

export class OAuthClientBuiltIn extends Problem<OAuthClientBuiltIn>()("OAuthClientBuiltIn", {
  status: 400,
  title: "This client is built in",
  explanation:
    "The clients of the command line belong to the service: they are neither changed nor deleted. Who may use them is decided by the permission USE_OAUTH_CLIENTS.",
  metadata: { client_id: Schema.String }
}) {}

export const ClientRule = Schema.Literals([
  "public-without-secret",
  "authorization-code-needs-redirect",
  "client-credentials-needs-confidential",
  "public-authorization-code-needs-pkce",
  "client-credentials-without-redirect"
])
export type ClientRule = typeof ClientRule.Type

export class OAuthClientInvalid extends Problem<OAuthClientInvalid>()("OAuthClientInvalid", {
  status: 400,
  title: "There can be no client like this",
  explanation:
    "A public client has no secret, so it cannot use `client_credentials`, and says by `pkce_required` that it proves its authorisations. `authorization_code` needs a redirect address, and `client_credentials` without it has none. `rule` says which of these is broken.",
  metadata: { rule: ClientRule }
}) {}

export class TooManyOAuthClients extends Problem<TooManyOAuthClients>()("TooManyOAuthClients", {
  status: 409,
  title: "This account has too many clients",
  explanation: `An account has ${ownClientsMax} clients at most. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class OAuthClientsFull extends Problem<OAuthClientsFull>()("OAuthClientsFull", {
  status: 409,
  title: "There are as many clients as there may be",
  explanation: `An instance has ${clientsMax} clients that administrators made, at most. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class OAuthClientNotYours extends Problem<OAuthClientNotYours>()("OAuthClientNotYours", {
  status: 400,
  title: "This client belongs to somebody else",
  explanation:
    "Your own clients are changed here. Administrators change those of all accounts under `/admin/oauth/clients`.",
  metadata: { oauth_client_id: Schema.String }
}) {}
