/** The conditions on `accounts a` that narrow a list of accounts. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ListedAccounts } from "../../domain/account/AccountListing.ts"
import type { AccountListFilter } from "../../domain/account/AccountListStore.ts"
import { handleKey } from "../../domain/account/Handle.ts"
import { servicesElsewhere } from "../../domain/authentication/AuthProvider.ts"
import { builtIn } from "../../domain/role/Role.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { all, containing } from "../shared/Query.ts"

// Every account holds Member, `accounts.admin` says whether it holds Admin, and rows assign all other roles.
const assignable = (roles: ReadonlyArray<string>) =>
  [...new Set(roles)].filter((id) => id !== builtIn.member && id !== builtIn.admin)

const holdsAll = (sql: SqlClient.SqlClient, roles: ReadonlyArray<string>): Statement.Fragment =>
  roles.length === 1
    ? sql`a.id in (select account_id from account_roles where role_id = ${roles[0]})`
    : sql`a.id in (select account_id from account_roles where role_id = any(${roles}::text[])
        group by account_id having count(*) = ${roles.length}::int)`

/** The conditions that accounts joined within a range of time, which is a range of the indexes by `created_at`. */
export const joinedIn = (
  sql: SqlClient.SqlClient,
  { end, start }: ListedAccounts["joined"]
): ReadonlyArray<Statement.Fragment> => [
  ...(start === undefined ? [] : [sql`a.created_at >= ${start}`]),
  ...(end === undefined ? [] : [sql`a.created_at <= ${end}`])
]

/** The conditions on roles and inviters. The accounts that fulfil them are found first, and put in order then. */
export const selections = (
  sql: SqlClient.SqlClient,
  { invitedBy, roles }: ListedAccounts
): ReadonlyArray<Statement.Fragment> => {
  const assigned = assignable(roles)
  return [
    ...(roles.includes(builtIn.admin) ? [sql`a.admin`] : []),
    ...(assigned.length === 0 ? [] : [holdsAll(sql, assigned)]),
    ...(invitedBy.length === 0
      ? []
      : [
          sql`a.invited_by in (select id from accounts
            where handle_key = any(${invitedBy.map(handleKey)}::text[]))`
        ])
  ]
}

const isId = (text: string) => /^[0-9a-v]{20}$/.test(text)

/** Up to how many accounts found by email address a condition names by their ids; more are found by a subquery. */
const addressedMax = 1_000

/**
 * The condition that the name or handle contains `text`, or an email address contains `verbatim`, or the id is equal to
 * it; none without a text.
 */
export const foundBy = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  text: string | undefined,
  verbatim: string | undefined
) {
  if (text === undefined) return []
  const named = sql`a.search_text like ${containing(text)}`
  if (verbatim === undefined) return [named]
  const addressed = sql<{ readonly account_id: AccountId }>`select account_id from account_emails
    where address like ${containing(verbatim)}`
  const some = yield* all(
    sql<{ readonly account_id: AccountId }>`${addressed} limit ${sql.literal(`${addressedMax + 1}`)}`
      .unprepared
  )
  const areFew = some.length <= addressedMax
  const ids = [
    ...(areFew ? some.map(({ account_id }) => account_id) : []),
    ...(isId(verbatim) ? [verbatim] : [])
  ]
  return [sql.or([named, sql`a.id = any(${ids}::text[])`, ...(areFew ? [] : [sql`a.id in (${addressed})`])])]
})

const signingIn: ReadonlyMap<string, string> = new Map([
  ...servicesElsewhere.map((service) => [service, `'${service}' = any(a.services_elsewhere)`] as const),
  ["password", "a.has_password"],
  ["email_verify", "a.has_code_sign_in"],
  ["access_key", "a.has_access_key"],
  ["phone_verify", "a.has_phone"],
  ["webauthn", "a.has_passkey"]
])

/** The conditions of the filters for staff, on columns that the index of every order contains. */
export const being = (
  sql: SqlClient.SqlClient,
  { admin, authServices, kind, suspended }: AccountListFilter
): ReadonlyArray<Statement.Fragment> => [
  ...(suspended === undefined ? [] : [sql.literal(`a.suspended_at is ${suspended ? "not null" : "null"}`)]),
  ...(admin === undefined ? [] : [sql.literal(admin ? "a.admin" : "not a.admin")]),
  ...(kind === undefined ? [] : [sql`a.kind = ${kind}`]),
  ...(authServices.length === 0
    ? []
    : [
        sql.literal(
          `(${["false", ...authServices.flatMap((name) => signingIn.get(name) ?? [])].join(" or ")})`
        )
      ])
]
