/** How lists of accounts are asked for, whatever they show of each account. Pure. */
import type { RoleId } from "../shared/Id.ts"
import type { ListPlace } from "../shared/ListPlace.ts"
import type { TimeRange } from "../shared/TimeRange.ts"

const fields = ["created_at", "updated_at", "name", "handle"] as const
export type OrderField = (typeof fields)[number]

export interface AccountOrder {
  readonly by: OrderField
  readonly descending: boolean
}

const newestFirst: AccountOrder = { by: "created_at", descending: true }

/** Reads one of these fields, with `-` before it in descending order. Anything else means the newest first. */
export const orderBy =
  (allowed: ReadonlyArray<OrderField>) =>
  (sort: string | undefined): AccountOrder => {
    const descending = sort?.startsWith("-") === true
    const name = descending ? sort?.slice(1) : sort
    const by = allowed.find((field) => field === name)
    return by === undefined ? newestFirst : { by, descending }
  }

/** The order of a list for staff. */
export const readAccountOrder = orderBy(fields)

/** What every list of accounts can be narrowed by. */
export interface ListedAccounts {
  readonly place: ListPlace
  readonly order: AccountOrder
  /** The text to look for, in the form of `searchForm`; if absent, text does not matter. */
  readonly text: string | undefined
  /** Roles: each listed account holds all of them. */
  readonly roles: ReadonlyArray<RoleId>
  readonly joined: TimeRange
  /** Handles of inviters: each listed account was invited by one of them. If empty, inviters do not matter. */
  readonly invitedBy: ReadonlyArray<string>
}

/** Accounts that a list has at most if a text, roles or inviters select them: finding more would take longer and longer. */
export const selectedMax = 10_000

/** Accounts on a page. */
export const pageSize = 50

/** Roles and inviters that one request may ask for. */
export const filterMax = 100
