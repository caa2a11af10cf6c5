/** The caller of a request, in one statement: the credential, the account, and the permissions of its roles as of now. */
import type { Presented } from "../../domain/session/Session.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { AskedWithCaller } from "../../domain/storage/Transaction.ts"
import { heldPermissions } from "../role/HeldPermissions.ts"

export interface CallerRow {
  readonly account_id: AccountId | null
  /** Whether the caller is known by an access key, and not by a session. */
  readonly by_key: boolean
  readonly suspended: boolean
  readonly permissions: ReadonlyArray<Permission>
}

/**
 * Whether a row of `accounts a` has only the permissions of guests: where people sign in with their addresses, they
 * first confirm one. Nobody can where the service sends no mail, which the parameter says.
 */
const actsAsGuest = (sendsMail: string) => `(a.kind = 'human' and not a.admin and a.verified_status = 'none'
      and ${sendsMail}::boolean and (select by_email from sign_in_mode))`

/** The permissions that a row of `accounts a` has as of now, as `heldPermissions`. */
export const permissionsNow = (sendsMail: string): string => heldPermissions("a", actsAsGuest(sendsMail))

/**
 * The statement for the caller, which always answers one row; `$1` is the hash of a session's token, `$2` that of an
 * access key, `$3` the time, `$4` whether the service sends mail. A session goes before a key. Without either the
 * permissions are those of the Guest role.
 */
export const callerText = `select a.id as account_id, k.id is not null as by_key, a.suspended_at is not null as suspended,
    ${permissionsNow("$4")} as permissions
  from (select) one
  left join sessions s on s.token_hash = $1::bytea and s.expires_at > $3
  left join access_keys k on s.token_hash is null and k.token_hash = $2::bytea and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > $3)
  left join accounts a on a.id = coalesce(s.account_id, k.account_id)`

const nobody: CallerRow = { account_id: null, by_key: false, suspended: false, permissions: [] }

/** The caller that a row says these credentials belong to. */
export const actorOf = (row: CallerRow = nobody, { session }: Presented = {}): Actor => {
  const permissions = new Set(row.permissions)
  if (row.account_id === null) return { _tag: "Guest", permissions }
  return {
    _tag: "Account",
    accountId: row.account_id,
    permissions,
    suspended: row.suspended,
    credential: row.by_key ? "key" : "cookie",
    ...(row.by_key || session === undefined ? {} : { session })
  }
}

/** A question about something that one parameter names; `null` in all columns of its row means that there is none. */
export class SqlAskedWithCaller<out A> extends AskedWithCaller<A> {
  /** The statement for caller and answer, whose fifth parameter names what is asked about. */
  readonly text: string
  readonly parameter: string
  readonly read: (row: object) => A

  constructor(text: string, parameter: string, read: (row: object) => A) {
    super()
    this.text = text
    this.parameter = parameter
    this.read = read
  }
}

/**
 * Makes a question of a query of at most one row, which is given SQL expressions: the account that asks, or null; and
 * what it asks about.
 */
export const askedWithCaller = <A>(
  query: (viewer: string, parameter: string) => string,
  read: (row: object) => A
): ((parameter: string) => AskedWithCaller<A>) => {
  const text = `select caller.*, asked.* from (${callerText}) caller
    left join lateral (${query("caller.account_id", "$5")}) asked on true`
  return (parameter) => new SqlAskedWithCaller(text, parameter, read)
}
