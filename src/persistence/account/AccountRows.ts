import type { Account } from "../../domain/account/Account.ts"
import { builtIn } from "../../domain/role/Role.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import { unreadCount } from "../notification/NotificationRows.ts"
import { type RoleRow, roleColumns, roleOf } from "../role/RoleRows.ts"
import { shown } from "../shared/Rows.ts"

/** One row for each role that the account holds. */
export interface AccountRow extends RoleRow {
  readonly account_id: AccountId
  readonly account_created_at: Date
  readonly account_updated_at: Date
  readonly suspended_at: Date | null
  readonly handle: string
  readonly account_name: string
  readonly bio: string
  readonly signature: string | null
  readonly links: Account["links"]
  readonly account_meta: JsonObject
  readonly verified_status: Account["verified_status"]
  readonly kind: Account["kind"]
  readonly admin: boolean
  readonly has_password: boolean
  readonly unread: number
  readonly badge: boolean
  readonly built_in: boolean
}

/** Everything of the account `a`, whose roles are `r` and its holdings `ar`. */
export const accountColumns = `a.id as account_id, a.created_at as account_created_at,
  a.updated_at as account_updated_at, a.suspended_at, a.handle, a.name as account_name, a.bio, a.signature,
  a.links, a.meta as account_meta, a.verified_status, a.kind, a.admin,
  exists (select from passwords where account_id = a.id) as has_password,
  ${unreadCount} as unread,
  ${roleColumns}, coalesce(ar.badge, false) as badge, r.built_in`

export const accountSource = `accounts a
  join roles r on r.id = '${builtIn.member}' or (a.admin and r.id = '${builtIn.admin}')
    or r.id in (select role_id from account_roles where account_id = a.id)
  left join account_roles ar on ar.account_id = a.id and ar.role_id = r.id`

/** The account made of its rows, highest role first. */
export const accountOf = (rows: readonly [AccountRow, ...ReadonlyArray<AccountRow>]): Account => {
  const [row] = rows
  const suspended =
    row.suspended_at === null
      ? {}
      : { deletedAt: shown(row.suspended_at), suspended: shown(row.suspended_at) }
  return {
    id: row.account_id,
    createdAt: shown(row.account_created_at),
    updatedAt: shown(row.account_updated_at),
    misc,
    joined: shown(row.account_created_at),
    ...suspended,
    handle: row.handle,
    name: row.account_name,
    roles: rows.map((role) => ({ ...roleOf(role), badge: role.badge, default: role.built_in })),
    bio: row.bio,
    ...(row.signature === null ? {} : { signature: row.signature }),
    links: row.links,
    meta: row.account_meta,
    verified_status: row.verified_status,
    kind: row.kind,
    email_addresses: [],
    auth_services: row.has_password ? ["password"] : [],
    notifications: row.unread,
    admin: row.admin
  }
}
