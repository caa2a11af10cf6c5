/** The caller of a request, in one statement: the credential, the account, and the permissions of its roles as of now. */
import type { Presented } from "../../domain/session/Session.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { AskedWithCaller } from "../../domain/storage/Transaction.ts"
import { heldPermissions } from "../role/HeldPermissions.ts"

export interface CallerRow {
  readonly account_id: AccountId | null
  /** Whether the caller is not known by a session, so by a bearer token. */
  readonly by_bearer: boolean
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

/** Where the account of each kind of bearer token is found, where there is no session. `$2` is what names the token. */
const bearers = {
  /** By the hash of an access key. */
  key: `left join access_keys b on s.token_hash is null and b.token_hash = $2::bytea and b.revoked_at is null
    and (b.expires_at is null or b.expires_at > $3)`,
  /** By the id of an access token. */
  token: `left join (oauth_tokens t join oauth_grants b on b.id = t.grant_id and b.ended_at is null)
    on s.token_hash is null and t.access_id = $2::text and t.access_expires_at > $3`
} as const

/** Kinds of bearer tokens, each of which has a statement of its own: it has no part that another kind needs. */
export type BearerKind = keyof typeof bearers

/**
 * The statement for the caller, which always answers one row; `$1` is the hash of a session's token, `$2` names the
 * bearer token, `$3` is the time, `$4` whether the service sends mail. A session goes before a bearer token. Without
 * either the permissions are those of the Guest role.
 */
const callerText = (kind: BearerKind) => `select a.id as account_id, s.token_hash is null as by_bearer,
    a.suspended_at is not null as suspended, ${permissionsNow("$4")} as permissions
  from (select) one
  left join sessions s on s.token_hash = $1::bytea and s.expires_at > $3
  ${bearers[kind]}
  left join accounts a on a.id = coalesce(s.account_id, b.account_id)`

export type CallerTexts = Readonly<Record<BearerKind, string>>

export const callerTexts: CallerTexts = { key: callerText("key"), token: callerText("token") }

/** Which statement finds the caller. */
export const bearerKindOf = ({ accessToken }: Presented): BearerKind =>
  accessToken === undefined ? "key" : "token"

const nobody: CallerRow = { account_id: null, by_bearer: false, suspended: false, permissions: [] }

/** The caller that a row says these credentials belong to, with all permissions of the account. */
export const actorOf = (row: CallerRow = nobody, presented: Presented = {}): Actor => {
  const permissions = new Set(row.permissions)
  if (row.account_id === null) return { _tag: "Guest", permissions }
  const { session } = presented
  return {
    _tag: "Account",
    accountId: row.account_id,
    permissions,
    suspended: row.suspended,
    credential: row.by_bearer ? bearerKindOf(presented) : "cookie",
    ...(row.by_bearer || session === undefined ? {} : { session })
  }
}

/** A question about something that one parameter names; `null` in all columns of its row means that there is none. */
export class SqlAskedWithCaller<out A> extends AskedWithCaller<A> {
  /** The statements for caller and answer, whose fifth parameter names what is asked about. */
  readonly texts: CallerTexts
  readonly parameter: string
  readonly read: (row: object) => A

  constructor(texts: CallerTexts, parameter: string, read: (row: object) => A) {
    super()
    this.texts = texts
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
  const textFor = (kind: BearerKind) => `select caller.*, asked.* from (${callerTexts[kind]}) caller
    left join lateral (${query("caller.account_id", "$5")}) asked on true`
  const texts: CallerTexts = { key: textFor("key"), token: textFor("token") }
  return (parameter) => new SqlAskedWithCaller(texts, parameter, read)
}
