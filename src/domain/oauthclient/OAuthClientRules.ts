/** What clients there can be, and what becomes of one that is changed. Pure. */
import { Result } from "effect"
import { Forbidden, holds, type PermissionHolder } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import type { Permission } from "../shared/Permission.ts"
import { type ClientRule, OAuthClientBuiltIn, OAuthClientInvalid } from "./OAuthClient.ts"
import type { ClientType, Grant } from "./OAuthClientFields.ts"
import type { ClientValues, StoredClient } from "./OAuthClientStore.ts"

/** What of a client there are rules for. */
export interface ClientForm {
  readonly type: ClientType
  readonly allowedGrants: ReadonlyArray<Grant>
  readonly redirectUris: ReadonlyArray<string>
  readonly pkceRequired: boolean
}

const broken = (rule: ClientRule) => Result.fail(new OAuthClientInvalid({ metadata: { rule } }))

/** Whether somebody can have a client like this of their own. */
export const decideForm = ({
  allowedGrants,
  pkceRequired,
  redirectUris,
  type
}: ClientForm): Result.Result<void, OAuthClientInvalid> => {
  const byCode = allowedGrants.includes("authorization_code")
  const byItself = allowedGrants.includes("client_credentials")
  if (byCode && redirectUris.length === 0) return broken("authorization-code-needs-redirect")
  if (byItself && type === "public") return broken("client-credentials-needs-confidential")
  if (byCode && type === "public" && !pkceRequired) return broken("public-authorization-code-needs-pkce")
  if (byItself && !byCode && redirectUris.length > 0) return broken("client-credentials-without-redirect")
  return Result.void
}

/** Whether the secret of a client can come from its administrator. */
export const decideSecret = (
  type: ClientType,
  hash: string | undefined
): Result.Result<void, OAuthClientInvalid> =>
  type === "public" && hash !== undefined ? broken("public-without-secret") : Result.void

/** Whether somebody may let a client of their own ask for these permissions. */
export const decidePermissions = (
  actor: PermissionHolder,
  permissions: ReadonlyArray<Permission>
): Result.Result<void, Forbidden> => {
  const missing = permissions.find((permission) => !holds(actor, permission))
  return missing === undefined
    ? Result.void
    : Result.fail(new Forbidden({ metadata: { permission: missing } }))
}

/** Whose a client is, as its owner and others see it. */
export const ownership = (client: StoredClient | undefined, account: AccountId) => {
  if (client === undefined) return "missing"
  return client.shown.account_id === account ? "own" : "another's"
}

const valuesOf = ({ shown }: StoredClient): ClientValues => ({
  name: shown.name,
  scopePolicy: shown.scope_policy,
  redirectUris: shown.redirect_uris,
  allowedScopes: shown.allowed_scopes,
  allowedGrants: shown.allowed_grants
})

/** What can be changed, as the audit log calls it. */
export const changeable = [
  "name",
  "scope_policy",
  "redirect_uris",
  "allowed_scopes",
  "allowed_grants",
  "client_secret"
] as const
export type Changed = (typeof changeable)[number]

/** What a change asks for, with the secret as its hash. */
export interface ClientChange {
  readonly name?: string
  readonly scope_policy?: ClientValues["scopePolicy"]
  readonly redirect_uris?: ClientValues["redirectUris"]
  readonly allowed_scopes?: ClientValues["allowedScopes"]
  readonly allowed_grants?: ClientValues["allowedGrants"]
  readonly client_secret_hash?: string
}

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** The values with each element of a list once. */
export const withoutRepetition = <V extends ClientValues>(values: V): V => ({
  ...values,
  redirectUris: distinct(values.redirectUris),
  allowedScopes: distinct(values.allowedScopes),
  allowedGrants: distinct(values.allowedGrants)
})

const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)

/** What a client is after a change, and what of it is another than before. */
export interface ChangedClient {
  readonly values: ClientValues
  readonly changed: ReadonlyArray<Changed>
}

const changedBy = (client: StoredClient, change: ClientChange): ChangedClient => {
  const before = valuesOf(client)
  const values = withoutRepetition({
    name: change.name ?? before.name,
    scopePolicy: change.scope_policy ?? before.scopePolicy,
    redirectUris: change.redirect_uris ?? before.redirectUris,
    allowedScopes: change.allowed_scopes ?? before.allowedScopes,
    allowedGrants: change.allowed_grants ?? before.allowedGrants
  })
  const isChanged: Readonly<Record<Changed, boolean>> = {
    name: differs(values.name, before.name),
    scope_policy: differs(values.scopePolicy, before.scopePolicy),
    redirect_uris: differs(values.redirectUris, before.redirectUris),
    allowed_scopes: differs(values.allowedScopes, before.allowedScopes),
    allowed_grants: differs(values.allowedGrants, before.allowedGrants),
    client_secret: change.client_secret_hash !== undefined
  }
  return { values, changed: changeable.filter((field) => isChanged[field]) }
}

/** What a client becomes that an administrator changes. What is built in stays as it is. */
export const decideChange = (
  client: StoredClient,
  change: ClientChange
): Result.Result<ChangedClient, OAuthClientBuiltIn | OAuthClientInvalid> => {
  const { client_id, type } = client.shown
  if (client.isBuiltIn) return Result.fail(new OAuthClientBuiltIn({ metadata: { client_id } }))
  return Result.map(decideSecret(type, change.client_secret_hash), () => changedBy(client, change))
}

/** What a client becomes that its owner changes. */
export const decideOwnChange = (
  client: StoredClient,
  change: Omit<ClientChange, "client_secret_hash">
): Result.Result<ChangedClient, OAuthClientInvalid> => {
  const { pkceRequired, shown } = client
  const changed = changedBy(client, change)
  return Result.map(decideForm({ type: shown.type, pkceRequired, ...changed.values }), () => changed)
}

/** Whether a client can be deleted. */
export const decideRemoval = ({ isBuiltIn, shown }: StoredClient): Result.Result<void, OAuthClientBuiltIn> =>
  isBuiltIn ? Result.fail(new OAuthClientBuiltIn({ metadata: { client_id: shown.client_id } })) : Result.void
