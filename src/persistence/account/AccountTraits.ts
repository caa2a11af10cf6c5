/** What lists of accounts are narrowed by, a bit each. The database keeps them in `accounts.traits`, and counts accounts by them. */
import type { SqlClient, Statement } from "effect/sql"
import type { AccountListFilter } from "../../domain/account/AccountListStore.ts"

// Bits change by a migration only.
const bits = { suspended: 1, admin: 2, bot: 4 } as const
const serviceBits: Readonly<Record<string, number>> = {
  password: 8,
  email_verify: 16,
  access_key: 32,
  webauthn: 64
}

/** Of the bits of `mask` those of `value`, and any of `some` unless it is absent. */
export interface Traits {
  readonly mask: number
  readonly value: number
  readonly some: number | undefined
}

type Asked = Pick<AccountListFilter, "suspended" | "admin" | "kind" | "authServices">

/** The traits that are asked for; none if any account will do. */
export const traitsOf = ({ admin, authServices, kind, suspended }: Asked): Traits | undefined => {
  const asked = [
    [bits.suspended, suspended],
    [bits.admin, admin],
    [bits.bot, kind === undefined ? undefined : kind === "bot"]
  ] as const
  const sum = (isCounted: (is: boolean) => boolean) =>
    asked.reduce((sum, [bit, is]) => (is !== undefined && isCounted(is) ? sum + bit : sum), 0)
  const some =
    authServices.length === 0
      ? undefined
      : authServices.reduce((sum, service) => sum | (serviceBits[service] ?? 0), 0)
  const mask = sum(() => true)
  return mask === 0 && some === undefined ? undefined : { mask, value: sum((is) => is), some }
}

/** The traits of accounts that there are and that have what is asked for: a few numbers. */
export const matchingTraits = (sql: SqlClient.SqlClient, { mask, some, value }: Traits): Statement.Fragment =>
  sql`account_totals where (traits & ${mask}::int) = ${value}::int
    and (${some ?? null}::int is null or (traits & ${some ?? null}::int) <> 0)`
