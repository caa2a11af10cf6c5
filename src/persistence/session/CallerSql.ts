/** The caller of a request, in one statement: the session, the account, and the permissions of its roles as of now. */
import { builtIn } from "../../domain/role/Role.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import { Companion } from "../../domain/shared/Companion.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"

export interface CallerRow {
  readonly account_id: AccountId | null
  readonly suspended: boolean
  readonly permissions: ReadonlyArray<Permission>
}

/**
 * One row always; `$1` is the hash of a token, `$2` the time. Without a session the permissions are
 * those of the Guest role.
 */
export const callerText = `select a.id as account_id, a.suspended_at is not null as suspended,
    array(
      select unnest(r.permissions) from roles r
      where case when a.id is null then r.id = '${builtIn.guest}'
        else r.id = '${builtIn.member}' or (a.admin and r.id = '${builtIn.admin}')
          or r.id in (select role_id from account_roles where account_id = a.id) end
    ) as permissions
  from (select) one
  left join sessions s on s.token_hash = $1::bytea and s.expires_at > $2
  left join accounts a on a.id = s.account_id`

const nobody: CallerRow = { account_id: null, suspended: false, permissions: [] }

/** The caller that a row says the session with this token belongs to. */
export const actorOf = (row: CallerRow = nobody, tokenHash?: Uint8Array): Actor => {
  const permissions = new Set(row.permissions)
  return row.account_id === null
    ? { _tag: "Guest", permissions }
    : {
        _tag: "Account",
        accountId: row.account_id,
        permissions,
        suspended: row.suspended,
        credential: "cookie",
        ...(tokenHash === undefined ? {} : { session: tokenHash })
      }
}

/** A question about something that one parameter names; `null` in all columns of its row means that there is none. */
export class SqlCompanion<out A> extends Companion<A> {
  /** The statement for caller and answer, whose third parameter names what is asked about. */
  readonly text: string
  readonly parameter: unknown
  readonly read: (row: object) => A

  constructor(text: string, parameter: unknown, read: (row: object) => A) {
    super()
    this.text = text
    this.parameter = parameter
    this.read = read
  }
}

/** Whether the caller holds a permission, as an SQL expression. */
const callerHolds = (permission: Permission) =>
  `(caller.permissions && array['${permission}', 'ADMINISTRATOR'])`

/**
 * Makes companions of a query of at most one row, which is given SQL expressions: the account that asks, or null;
 * what it asks about; and whether it holds a permission.
 */
export const companions = <A, Parameter = string>(
  query: (viewer: string, parameter: string, holds: (permission: Permission) => string) => string,
  read: (row: object) => A
): ((parameter: Parameter) => Companion<A>) => {
  const text = `select caller.*, companion.* from (${callerText}) caller
    left join lateral (${query("caller.account_id", "$3", callerHolds)}) companion on true`
  return (parameter) => new SqlCompanion(text, parameter, read)
}
