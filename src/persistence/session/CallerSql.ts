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
      and ${sendsMail} and (select by_email from sign_in_mode))`

const permissionsIf = (sendsMail: string) => heldPermissions("a", actsAsGuest(sendsMail))

/**
 * The permissions that a row of `accounts a` has as of now, as `heldPermissions`. The planner does not see into the
 * parameter: where it is false, it would find a plan so much cheaper than one for both that it would plan the statement
 * each time that it runs, which takes it several times as long as to run it.
 */
export const permissionsNow = (sendsMail: string): string => permissionsIf(`(select ${sendsMail}::boolean)`)

/** Expressions for what a caller presents and when: the hash of a session's token, what names its bearer token, and the time. */
interface Asked {
  /** A row that has them. */
  readonly from: string
  readonly session: string
  readonly key: string
  readonly token: string
  readonly at: string
  readonly sendsMail: string
}

/** A row of `access_keys b`, and one of `oauth_grants b`, where there is no session. */
const keyJoin = ({ at, key }: Asked, as: string) => `left join access_keys ${as} on s.token_hash is null
    and ${as}.token_hash = ${key} and ${as}.revoked_at is null and (${as}.expires_at is null or ${as}.expires_at > ${at})`

const tokenJoin = (
  { at, token }: Asked,
  as: string
) => `left join (oauth_tokens t join oauth_grants ${as} on ${as}.id = t.grant_id and ${as}.ended_at is null)
    on s.token_hash is null and t.access_id = ${token} and t.access_expires_at > ${at}`

/** Where the account of each kind of bearer token is found. */
const bearers = {
  /** By the hash of an access key. */
  key: { joins: (asked: Asked) => keyJoin(asked, "b"), account: "b.account_id" },
  /** By the id of an access token. */
  token: { joins: (asked: Asked) => tokenJoin(asked, "b"), account: "b.account_id" },
  /** By either, where many callers are found at once. */
  either: {
    joins: (asked: Asked) => `${keyJoin(asked, "k")}
  ${tokenJoin(asked, "g")}`,
    account: "k.account_id, g.account_id"
  }
} as const

/** Kinds of bearer tokens, each of which has a statement of its own: it has no part that another kind needs. */
export type BearerKind = "key" | "token"

/**
 * A query for the caller, which always answers one row. A session goes before a bearer token. Without either the
 * permissions are those of the Guest role.
 */
const callerText = (kind: keyof typeof bearers, asked: Asked) => `select a.id as account_id,
    s.token_hash is null as by_bearer, a.suspended_at is not null as suspended,
    ${permissionsIf(asked.sendsMail)} as permissions
  from ${asked.from}
  left join sessions s on s.token_hash = ${asked.session} and s.expires_at > ${asked.at}
  ${bearers[kind].joins(asked)}
  left join accounts a on a.id = coalesce(s.account_id, ${bearers[kind].account})`

/**
 * The statement for one caller, whose second parameter names the bearer token. The planner does not see into the row
 * of parameters, as in `permissionsNow`: credentials that are null make plans cheaper, too.
 */
const textOfOne = (kind: BearerKind, bearerType: string) =>
  callerText(kind, {
    from: `(select $1::bytea as session, $2::${bearerType} as bearer, $3::timestamptz as at,
    $4::boolean as sends_mail offset 0) given`,
    session: "given.session",
    key: "given.bearer",
    token: "given.bearer",
    at: "given.at",
    sendsMail: "given.sends_mail"
  })

export type CallerTexts = Readonly<Record<BearerKind, string>>

export const callerTexts: CallerTexts = { key: textOfOne("key", "bytea"), token: textOfOne("token", "text") }

/**
 * The statement for many callers, which answers a row for each in their order. Three parameters are arrays of
 * what they present: hashes of sessions and of access keys as hexadecimal digits, and ids of access tokens.
 */
export const callersText = `select caller.* from unnest($1::text[], $2::text[], $5::text[]) with ordinality
    given (session, key, token, place)
  cross join lateral (${callerText("either", {
    from: "(select) one",
    session: "decode(given.session, 'hex')",
    key: "decode(given.key, 'hex')",
    token: "given.token",
    at: "$3",
    sendsMail: "$4::boolean"
  })}) caller
  order by given.place`

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
