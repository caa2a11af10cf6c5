import { Schema } from "effect"
import { type Account, EmailAddress, ExternalLink } from "../../domain/account/Account.ts"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { JsonObject, misc } from "../../domain/field/Json.ts"
import type { AccountRole } from "../../domain/role/Role.ts"
import { AccountId } from "../../domain/shared/Id.ts"
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
  /** The `peopleVersion` with which the row was read; may be null if the account shows no inviter. */
  people_version: Schema.NullOr(Schema.String),
  email_addresses: Schema.Array(EmailAddress),
  has_password: Schema.Boolean,
  has_passkey: Schema.Boolean,
  has_code_sign_in: Schema.Boolean,
  has_phone: Schema.Boolean,
  has_access_key: Schema.Boolean,
  services_elsewhere: Schema.Array(Schema.String)
})

/** The columns that are read of `accounts a`, all but `people_version`. */
export const accountColumns = `a.id, a.created_at, a.updated_at, a.suspended_at, a.handle, a.name, a.bio, a.signature,
  a.links, a.meta, a.verified_status, a.kind, a.admin, a.invited_by,
  a.has_password, a.has_passkey, a.has_code_sign_in, a.has_phone, a.has_access_key,
  a.services_elsewhere,
  (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'email_address', e.address, 'verified', e.verified)
    order by e.created_at, e.id), '[]') from account_emails e where e.account_id = a.id) as email_addresses`

interface Beside {
  /** The roles of the account, highest first. */
  readonly roles: ReadonlyArray<AccountRole>
  readonly inviter: ProfileReference | undefined
  /** How many notifications the account has not read; absent in lists. */
  readonly unread?: number
}

/** The account of a row, with its roles and its inviter. */
export const accountOf = (
  row: Omit<typeof AccountRow.Type, "people_version">,
  { inviter, roles, unread }: Beside
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
  roles,
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
    ...(row.has_phone ? ["phone_verify"] : []),
    ...row.services_elsewhere,
    ...(row.has_access_key ? ["access_key"] : [])
  ],
  ...(unread === undefined ? {} : { notifications: unread }),
  admin: row.admin,
  ...(inviter === undefined ? {} : { invited_by: inviter })
})
