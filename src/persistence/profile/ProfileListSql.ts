/** Lists of profiles: which accounts and in which order. */
import { Duration, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { handleKey } from "../../domain/account/HandleKey.ts"
import type { ProfileOrder } from "../../domain/profile/ProfileRules.ts"
import { type ProfileListFilter, type ProfileListPage, pageSize } from "../../domain/profile/ProfileStore.ts"
import { selectedMax } from "../../domain/profile/PublicProfile.ts"
import { builtIn } from "../../domain/role/Role.ts"
import * as RichText from "../../domain/shared/RichText.ts"
import { budget } from "../../domain/thread/PageBudget.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/thread/Thread.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
import {
  makeProfiles,
  type ProfileRow,
  type ProfileStamps,
  profileColumns,
  stampColumns
} from "./ProfileRows.ts"

interface Totals extends ProfileStamps {
  readonly total: number
}

/** The totals, with a listed profile or nothing. */
type Row = Totals & (ProfileRow | { readonly id: null })

const hasProfile = (row: Row): row is Totals & ProfileRow => row.id !== null

// What an account holds is its assignments, Member always, and Admin by a flag of its own.
const assignable = (roles: ReadonlyArray<string>) =>
  [...new Set(roles)].filter((id) => id !== builtIn.member && id !== builtIn.admin)

const holdsAll = (sql: SqlClient.SqlClient, roles: ReadonlyArray<string>): Statement.Fragment =>
  roles.length === 1
    ? sql`a.id in (select account_id from account_roles where role_id = ${roles[0]})`
    : sql`a.id in (select account_id from account_roles where role_id = any(${roles}::text[])
        group by account_id having count(*) = ${roles.length}::int)`

/** A range of the index of the newest accounts. */
const joinedIn = (
  sql: SqlClient.SqlClient,
  { end, start }: ProfileListFilter["joined"]
): ReadonlyArray<Statement.Fragment> => [
  ...(start === undefined ? [] : [sql`a.created_at >= ${start}`]),
  ...(end === undefined ? [] : [sql`a.created_at <= ${end}`])
]

/** Everything else that narrows a list: accounts that are found first and put in order then. */
const selections = (
  sql: SqlClient.SqlClient,
  { invitedBy, roles, text }: ProfileListFilter
): ReadonlyArray<Statement.Fragment> => {
  const assigned = assignable(roles)
  return [
    ...(text === undefined ? [] : [sql`a.search_text like ${containing(text)}`]),
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

type Direction = "asc" | "desc"

// Accounts of one instant or one name are shown newest first in both directions.
const columnsOf = ({ by, descending }: ProfileOrder): ReadonlyArray<readonly [string, Direction]> => {
  const direction = descending ? "desc" : "asc"
  switch (by) {
    case "created_at":
      return [
        ["a.created_at", direction],
        ["a.id", "desc"]
      ]
    case "name":
      return [
        ['a.name_form collate "C"', direction],
        ["a.created_at", "desc"],
        ["a.id", "desc"]
      ]
    case "handle":
      return [
        ['a.handle collate "C"', direction],
        ["a.id", direction]
      ]
  }
}

const turned = { asc: "desc", desc: "asc" } as const

const orderText = (order: ProfileOrder, backwards: boolean): string =>
  columnsOf(order)
    .map(([column, direction]) => `${column} ${backwards ? turned[direction] : direction}`)
    .join(", ")

/** The list that people often ask for. Only for this are statements kept prepared. */
const isUsual = ({ by, descending }: ProfileOrder, joined: ReadonlyArray<unknown>) =>
  joined.length === 0 && by === "created_at" && descending

/** The long parts, and what stands for them where those before have used up the room. */
const longColumns = (order: string) => {
  const parts = [
    ["bio", `'${RichText.empty}'`],
    ["links", "'[]'::jsonb"],
    ["meta", "'{}'::jsonb"]
  ].map(([column, short]) => `case when a.fits then a.${column} else ${short} end as ${column}`)
  return {
    fits: `sum(a.profile_weight) over (order by ${order}) <= ${budget} as fits`,
    columns: parts.join(", ")
  }
}

const makeReading = (sql: SqlClient.SqlClient) => {
  const stamps = sql.literal(stampColumns)

  /** Of those in `source` a page, in order. A constant limit, and no offset where there is none, let the planner know how few rows are read. */
  const pageOf = (source: Statement.Fragment, order: string, offset: number) =>
    sql`select a.id from ${source} order by ${sql.literal(order)}
      ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} limit ${sql.literal(String(pageSize))}`

  /** The totals on each row, and one row without a profile where there is none on the page. */
  const listing = (
    { order }: ProfileListFilter,
    given: Statement.Fragment,
    page: Statement.Fragment,
    found: Statement.Fragment
  ) => {
    const forwards = orderText(order, false)
    const long = longColumns(forwards)
    return sql<Row>`with ${given} page as materialized (${page}), listed as (
        select a.*, ${sql.literal(long.fits)} from page join accounts a on a.id = page.id
      )
      select found.*, ${sql.literal(profileColumns)}, ${sql.literal(long.columns)}
      from (${found}) found left join (listed a left join account_counts c on c.account_id = a.id) on true
      order by ${sql.literal(forwards)}`
  }

  /** A page of all accounts, or of those that joined within a range. Far rows are passed over in an index that has all that this needs of them. */
  const inOrder = Effect.fnUntraced(function* (filter: ProfileListFilter) {
    const joined = joinedIn(sql, filter.joined)
    const where = joined.length === 0 ? sql.literal("") : sql`where ${sql.and(joined)}`
    // Accounts are counted as they come and go.
    const total =
      joined.length === 0
        ? sql`(select sum(accounts)::int from account_totals)`
        : sql`(select count(*)::int from accounts a ${where})`
    const found = sql<Totals>`select ${total} as total, ${stamps} from change_stamps`
    const usual = isUsual(filter.order, joined)

    const read = ({ backwards, offset }: PageSpan, found: Statement.Fragment) => {
      const page = pageOf(sql`accounts a ${where}`, orderText(filter.order, backwards), offset)
      const statement = listing(filter, sql.literal(""), page, found)
      return all(usual ? statement : statement.unprepared)
    }

    if (filter.page <= fewPages) return yield* read(wholePage(filter.page, pageSize), found)
    const counted = yield* first(usual ? found : found.unprepared)
    if (counted === undefined) return []
    const span = spanOf(filter.page, pageSize, counted.total)
    if (span.size === 0) return [{ ...counted, id: null }]
    const known = sql`select ${counted.total}::int as total, ${counted.people_version}::text as people_version,
      ${counted.catalogue_version}::text as catalogue_version`
    const listed = yield* read(span, known)
    // The page nearest to the end may be a short one, and whole ones are read.
    return span.backwards ? listed.slice(-span.size) : listed.slice(0, span.size)
  })

  /** A page of selected accounts. As many as are shown at all are found to count them: the first ones. */
  const selected = (filter: ProfileListFilter, selections: ReadonlyArray<Statement.Fragment>) => {
    const conditions = [...selections, ...joinedIn(sql, filter.joined)]
    const order = sql.literal(orderText(filter.order, false))
    const given = sql`selected as materialized (
        select a.id, a.created_at, a.name_form, a.handle from accounts a where ${sql.and(conditions)}
        order by ${order} limit ${sql.literal(String(selectedMax))}
      ),`
    const page = pageOf(
      sql`selected a`,
      orderText(filter.order, false),
      wholePage(filter.page, pageSize).offset
    )
    const found = sql`select (select count(*)::int from selected) as total, ${stamps} from change_stamps`
    return all(listing(filter, given, page, found).unprepared)
  }

  return (filter: ProfileListFilter) => {
    const given = selections(sql, filter)
    return given.length === 0 ? inOrder(filter) : selected(filter, given)
  }
}

const tookTooLong = new SearchTookTooLong({
  metadata: { maximum_seconds: searchSeconds, retry_after: searchSeconds }
})

export const makeProfileList = Effect.gen(function* () {
  const sql = yield* QuickReads
  const quick = makeReading(sql)
  const slow = makeReading(yield* SlowReads)
  const profiles = yield* makeProfiles

  /** Waiting for a connection counts, too. What is interrupted is cancelled in the database. */
  const search = (filter: ProfileListFilter) =>
    Effect.timeoutOrElse(slow(filter), {
      duration: Duration.seconds(searchSeconds),
      orElse: () => Effect.fail(tookTooLong)
    })

  return Effect.fnUntraced(function* (filter: ProfileListFilter) {
    // What selects accounts may select most of them, or be found in most of the list only.
    const rows = yield* selections(sql, filter).length > 0 ? search(filter) : quick(filter)
    const [any] = rows
    if (any === undefined) return { total: 0, profiles: [] }
    return {
      total: any.total,
      profiles: yield* profiles(rows.filter(hasProfile), any)
    } satisfies ProfileListPage
  })
})
