/** What narrows a list of accounts, as conditions on `accounts a`. */
import type { SqlClient, Statement } from "effect/sql"
import type { ListedAccounts } from "../../domain/account/AccountListing.ts"
import { handleKey } from "../../domain/account/HandleKey.ts"
import { builtIn } from "../../domain/role/Role.ts"
import { containing } from "../shared/Query.ts"

// What an account holds is its assignments, Member always, and Admin by a flag of its own.
const assignable = (roles: ReadonlyArray<string>) =>
  [...new Set(roles)].filter((id) => id !== builtIn.member && id !== builtIn.admin)

const holdsAll = (sql: SqlClient.SqlClient, roles: ReadonlyArray<string>): Statement.Fragment =>
  roles.length === 1
    ? sql`a.id in (select account_id from account_roles where role_id = ${roles[0]})`
    : sql`a.id in (select account_id from account_roles where role_id = any(${roles}::text[])
        group by account_id having count(*) = ${roles.length}::int)`

/** A range of the index of the newest accounts. */
export const joinedIn = (
  sql: SqlClient.SqlClient,
  { end, start }: ListedAccounts["joined"]
): ReadonlyArray<Statement.Fragment> => [
  ...(start === undefined ? [] : [sql`a.created_at >= ${start}`]),
  ...(end === undefined ? [] : [sql`a.created_at <= ${end}`])
]

/** Everything else that narrows a list: accounts that are found first and put in order then. */
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
            where handle = any(${invitedBy}::text[]) or handle_key = any(${invitedBy.map(handleKey)}::text[]))`
        ])
  ]
}

const isId = (text: string) => /^[0-9a-v]{20}$/.test(text)

/** Where a text is found: each place has an index of its own, so each is looked into by itself. */
export const placesOf = (
  sql: SqlClient.SqlClient,
  text: string | undefined,
  verbatim: string | undefined
): ReadonlyArray<Statement.Fragment> => [
  ...(text === undefined ? [] : [sql`a.search_text like ${containing(text)}`]),
  ...(verbatim === undefined
    ? []
    : [sql`a.id in (select account_id from account_emails where address like ${containing(verbatim)})`]),
  ...(verbatim === undefined || !isId(verbatim) ? [] : [sql`a.id = ${verbatim}`])
]
