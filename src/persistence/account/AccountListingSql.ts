/** Lists of accounts: which accounts and in which order, whatever is shown of each. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  type AccountOrder,
  type ListedAccounts,
  pageSize,
  selectedMax
} from "../../domain/account/AccountListing.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import {
  extraPlaces,
  type PlacedList,
  placedPage,
  type RowSizes,
  type Standing
} from "../shared/LargeRows.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, first } from "../shared/Query.ts"
import { orderText } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { type DayStart, dayOf, fromDay } from "./AccountDays.ts"
import { orderColumns, rowOrder } from "./AccountOrderSql.ts"
import { joinedIn, placesOf, selections } from "./AccountSelection.ts"
import { matchingTraits, type Traits } from "./AccountTraits.ts"

/** The versions of what accounts show of others, read from `change_versions`. */
export interface ListVersions {
  readonly people_version: string
  readonly tags_and_categories_version: string
}
export const versionColumns =
  "sum(people)::text as people_version, sum(tags_and_categories)::text as tags_and_categories_version"

interface Totals extends ListVersions, Standing {}

/** The totals, with a listed account or nothing. */
type Row<Shown> = Totals & (Shown | { readonly id: null })

/** What else a list for staff is narrowed by. */
export interface StaffFilter {
  readonly traits: Traits | undefined
  /** What was searched for, as it stands in email addresses and ids. */
  readonly verbatim: string | undefined
}

const nothingElse: StaffFilter = { traits: undefined, verbatim: undefined }

/** The list that people often ask for. Only for this are statements kept prepared. */
const isUsual = ({ by, descending }: AccountOrder, joined: ReadonlyArray<unknown>) =>
  joined.length === 0 && by === "created_at" && descending

/** How accounts take places. */
const sizes: RowSizes = { table: "accounts a", id: "a.id", size: "a.profile_weight", pageSize }

/** What a list shows of `accounts a`, but for the long parts of all, and what is joined for it. */
interface Shows {
  readonly columns: string
  readonly joins: string
}

const makeReading = <Shown>(sql: SqlClient.SqlClient, shows: Shows) => {
  const versions = sql.literal(versionColumns)
  const limit = (rows: number) => sql.literal(`limit ${rows}`)

  /** A page of the accounts in `source`, in order. A constant limit, and no offset of zero, tell the planner how few rows are read. */
  const pageOf = (source: Statement.Fragment, order: string, offset: number) =>
    sql`select a.id from ${source} order by ${sql.literal(order)}
      ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} ${limit(pageSize)}`

  const extraOf = (conditions: ReadonlyArray<Statement.Fragment>) =>
    sql`${extraPlaces(sql, sizes, conditions)} as extra`

  /**
   * The totals on each row, and one row without an account where there is none on the page, or where large accounts
   * take more than one place.
   */
  const listing = (
    { order }: ListedAccounts,
    given: Statement.Fragment,
    page: Statement.Fragment,
    found: Statement.Fragment
  ) => {
    const forwards = orderText(rowOrder(order), false)
    return sql<Row<Shown>>`with ${given} page as materialized (${page}), listed as (
        select a.* from page join accounts a on a.id = page.id
      )
      select found.*, ${sql.literal(shows.columns)}, a.bio, a.links, a.meta
      from (${found}) found left join listed a on found.extra = 0 ${sql.literal(shows.joins)}
      order by ${sql.literal(forwards)}`
  }

  const known = ({ tags_and_categories_version, extra, people_version, total }: Totals) =>
    sql`select ${total}::int as total, ${extra}::int as extra, ${people_version}::text as people_version,
      ${tags_and_categories_version}::text as tags_and_categories_version`

  /** What was read of a page if no account takes more than one place. */
  const placed = Effect.fnUntraced(function* (
    filter: ListedAccounts,
    list: Omit<PlacedList, "order">,
    rows: ReadonlyArray<Row<Shown>>
  ) {
    const [any] = rows
    if (any === undefined || any.extra === 0) return rows
    const order = rowOrder(filter.order)
    const { extra, total } = any
    const page = yield* placedPage(sql, sizes, { ...list, order }, { extra, total, page: filter.page })
    const ids = sql`select id from unnest(${page.ids}::text[]) id`
    const totals = known({ ...any, total: page.total, extra: 0 })
    return yield* all(listing(filter, sql.literal(""), ids, totals).unprepared)
  })

  /** A page of the accounts that meet the conditions, once their number is known. The page nearest to the end may be a short one, and whole ones are read. */
  const farPage = Effect.fnUntraced(function* (
    filter: ListedAccounts,
    totals: Totals,
    read: (span: PageSpan, found: Statement.Fragment) => Effect.Effect<ReadonlyArray<Row<Shown>>>
  ) {
    const span = spanOf(filter.page, pageSize, totals.total)
    if (span.size === 0) return [{ ...totals, id: null }]
    const listed = yield* read(span, known(totals))
    return span.backwards ? listed.slice(-span.size) : listed.slice(0, span.size)
  })

  const reading =
    (filter: ListedAccounts, where: Statement.Fragment, usual: boolean) =>
    ({ backwards, offset }: PageSpan, found: Statement.Fragment) => {
      const page = pageOf(sql`accounts a ${where}`, orderText(rowOrder(filter.order), backwards), offset)
      const statement = listing(filter, sql.literal(""), page, found)
      return all(usual ? statement : statement.unprepared)
    }

  const whereAll = (conditions: ReadonlyArray<Statement.Fragment>) =>
    conditions.length === 0 ? sql.literal("") : sql`where ${sql.and(conditions)}`

  /** A far page of all accounts by age, read from the day on which the first of the page joined. */
  const farByAge = Effect.fnUntraced(function* (filter: ListedAccounts, found: Statement.Fragment) {
    const { descending } = filter.order
    const offset = (filter.page - 1) * pageSize
    const start = sql<Totals & DayStart>`select found.*, start.* from (${found}) found
      left join (${dayOf(sql, { descending, offset })}) start on true`
    const counted = yield* first(descending ? start : start.unprepared)
    if (counted === undefined) return []
    const { before, edge, ...totals } = counted
    if (edge === null || before === null) return [{ ...totals, id: null }]
    const read = reading(filter, whereAll([fromDay(sql, descending, edge)]), descending)
    return yield* read({ backwards: false, offset: offset - before, size: pageSize }, known(totals))
  })

  /** A page of all accounts, or of those that joined within a range. Far rows are passed over in an index that has all that this needs of them. */
  const inOrder = Effect.fnUntraced(function* (filter: ListedAccounts) {
    const joined = joinedIn(sql, filter.joined)
    const where = whereAll(joined)
    // Accounts are counted as they come and go.
    const total =
      joined.length === 0
        ? sql`(select sum(accounts)::int from account_totals)`
        : sql`(select count(*)::int from accounts a ${where})`
    const found = sql<Totals>`select ${total} as total, ${extraOf(joined)}, ${versions} from change_versions`
    const usual = isUsual(filter.order, joined)
    const read = reading(filter, where, usual)
    const rows = Effect.gen(function* () {
      if (filter.page <= fewPages) return yield* read(wholePage(filter.page, pageSize), found)
      if (filter.order.by === "created_at" && joined.length === 0) return yield* farByAge(filter, found)
      const counted = yield* first(usual ? found : found.unprepared)
      return counted === undefined ? [] : yield* farPage(filter, counted, read)
    })
    return yield* placed(filter, { conditions: joined }, yield* rows)
  })

  /** The same of accounts with some traits. These are looked up first: which of them there are tells the planner how many accounts have them. */
  const withTraits = Effect.fnUntraced(function* (filter: ListedAccounts, traits: Traits) {
    const matching = matchingTraits(sql, traits)
    const joined = joinedIn(sql, filter.joined)
    const total =
      joined.length === 0
        ? sql`(select coalesce(sum(accounts), 0)::int from ${matching})`
        : sql`(select count(*)::int from accounts a
            where ${sql.and(joined)} and a.traits = any(array(select distinct traits from ${matching})))`
    const counted = yield* first(
      sql<Totals & { readonly traits: ReadonlyArray<number> }>`select ${total} as total,
        array(select distinct traits from ${matching})::int[] as traits,
        ${extraOf([sql`a.traits = any(array(select distinct traits from ${matching}))`, ...joined])},
        ${versions} from change_versions`.unprepared
    )
    if (counted === undefined) return []
    const { traits: had, ...totals } = counted
    const conditions = [sql`a.traits = any(${had}::smallint[])`, ...joined]
    const rows = yield* farPage(filter, totals, reading(filter, whereAll(conditions), false))
    return yield* placed(filter, { conditions }, rows)
  })

  /** A page of selected accounts. As many as are shown at all are found to count them: the first ones. */
  const selected = Effect.fnUntraced(function* (
    filter: ListedAccounts,
    { traits }: StaffFilter,
    selections: ReadonlyArray<Statement.Fragment>,
    places: ReadonlyArray<Statement.Fragment>
  ) {
    const conditions = [
      ...selections,
      ...joinedIn(sql, filter.joined),
      ...(traits === undefined
        ? []
        : [sql`a.traits = any(array(select distinct traits from ${matchingTraits(sql, traits)}))`])
    ]
    const order = sql.literal(orderText(rowOrder(filter.order), false))
    const firstOf = (conditions: ReadonlyArray<Statement.Fragment>) =>
      sql`select ${sql.literal(orderColumns)} from accounts a where ${sql.and(conditions)}
        order by ${order} ${limit(selectedMax)}`
    const [place, ...others] = places
    const found =
      others.length === 0
        ? firstOf([...(place === undefined ? [] : [place]), ...conditions])
        : sql`select ${sql.literal(orderColumns)} from (
            ${sql.join(" union ", false)(places.map((one) => sql`(${firstOf([one, ...conditions])})`))}
          ) a order by ${order} ${limit(selectedMax)}`
    const page = pageOf(
      sql`selected a`,
      orderText(rowOrder(filter.order), false),
      wholePage(filter.page, pageSize).offset
    )
    const given = sql`selected as materialized (${found}),`
    const amongSelected = [sql`a.id = any(array(select id from selected))`]
    const totals = sql`select (select count(*)::int from selected) as total, ${extraOf(amongSelected)}, ${versions}
      from change_versions`
    const rows = yield* all(listing(filter, given, page, totals).unprepared)
    return yield* placed(filter, { given, conditions: amongSelected }, rows)
  })

  return { inOrder, withTraits, selected }
}

/** Makes a reader of pages; what is shown of an account has its id and what `columns` say. */
export const makeAccountListing = <Shown extends { readonly id: AccountId }>(shows: Shows) =>
  Effect.gen(function* () {
    const sql = yield* QuickReads
    const quick = makeReading<Shown>(sql, shows)
    const slow = makeReading<Shown>(yield* SlowReads, shows)
    const isShown = (row: Row<Shown>): row is Totals & Shown => row.id !== null

    const read = (filter: ListedAccounts, staff: StaffFilter) => {
      const given = selections(sql, filter)
      const places = placesOf(sql, filter.text, staff.verbatim)
      // Such a filter may select most accounts, or few of which the index of the order has to be read almost whole.
      if (given.length > 0 || places.length > 0) {
        return withinSearchTime(slow.selected(filter, staff, given, places))
      }
      return staff.traits === undefined ? quick.inOrder(filter) : quick.withTraits(filter, staff.traits)
    }

    return Effect.fnUntraced(function* (filter: ListedAccounts, staff: StaffFilter = nothingElse) {
      const rows = yield* read(filter, staff)
      const [any] = rows
      const versions: ListVersions = any ?? { people_version: "", tags_and_categories_version: "" }
      return { total: any?.total ?? 0, versions, rows: rows.filter(isShown) }
    })
  })
