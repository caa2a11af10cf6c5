import { Schema } from "effect"
import { type Account, EmailAddress, ExternalLink } from "../../domain/account/Account.ts"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { JsonObject, misc } from "../../domain/shared/Json.ts"
import { roleFields, roleOf } from "../role/RoleRows.ts"
import { toTimestamp } from "../shared/Rows.ts"

export const AccountRow = Schema.Struct({
  id: AccountId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  suspended_at: Schema.NullOr(Schema.Date),
  handle: Schema.String,
  name: Schema.String,
  bio: Schema.String,
  signature: Schema.NullOr(Schema.String),
  links: Schema.Array(ExternalLink),
  meta: JsonObject,
  verified_status: Schema.Literals(["none", "verified_email", "manual"]),
  kind: Schema.Literals(["human", "bot"]),
  admin: Schema.Boolean,
  invited_by: Schema.NullOr(AccountId),
  /** Of the people there are, if somebody invited the account. */
  people_version: Schema.NullOr(Schema.String),
  email_addresses: Schema.Array(EmailAddress),
  has_password: Schema.Boolean,
  has_passkey: Schema.Boolean,
  has_code_sign_in: Schema.Boolean,
  has_access_key: Schema.Boolean
})

export const HeldRoleRow = Schema.Struct({ ...roleFields, badge: Schema.Boolean })

/** The account, the roles it holds, highest first, and who invited it; `unread` is how many notifications it has not read. */
export const accountOf = (
  row: typeof AccountRow.Type,
  roles: ReadonlyArray<typeof HeldRoleRow.Type>,
  unread: number,
  inviter: ProfileReference | undefined
): Account => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  joined: toTimestamp(row.created_at),
  ...(row.suspended_at === null
    ? {}
    : { deletedAt: toTimestamp(row.suspended_at), suspended: toTimestamp(row.suspended_at) }),
  handle: row.handle,
  name: row.name,
  roles: roles.map((role) => ({ ...roleOf(role), badge: role.badge })),
  bio: row.bio,
  ...(row.signature === null ? {} : { signature: row.signature }),
  links: row.links,
  meta: row.meta,
  verified_status: row.verified_status,
  kind: row.kind,
  email_addresses: row.email_addresses,
  auth_services: [
    ...(row.has_password ? ["password"] : []),
    ...(row.has_passkey ? ["webauthn"] : []),
    ...(row.has_code_sign_in ? ["email_verify"] : []),
    ...(row.has_access_key ? ["access_key"] : [])
  ],
  notifications: unread,
  admin: row.admin,
  ...(inviter === undefined ? {} : { invited_by: inviter })
})
