/**
 * Lists in numbered pages. A page is read together with the facts of its list: how many rows it has, and whatever else
 * is true of all of it. An empty page has one row with the facts alone. Pages near the start are read in one statement;
 * of far ones the facts are read first, and then the rows from the nearer end.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { extraPlaces, placedPage, type Standing } from "./LargeRows.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "./PageSpan.ts"
import { all, first } from "./Query.ts"
import { orderText, type RowOrder } from "./RowOrder.ts"
import { withinSearchTime } from "./Searching.ts"

/** A row beside the facts of its list, or the facts alone. */
export type Listed<Facts, Row extends Identified> = Facts & (Row | { readonly id: null })

export interface Total {
  readonly total: number
}

export interface Identified {
  readonly id: string
}

/** What was read of a list for one page. */
export interface ListPage<Facts, Row extends Identified> {
  /** The facts of the list; undefined if there is no such list. */
  readonly facts: Facts | undefined
  readonly total: number
  readonly rows: ReadonlyArray<Facts & Row>
}

const hasRow = <Facts, Row extends Identified>(row: Listed<Facts, Row>): row is Facts & Row => row.id !== null

/** The rows of a page, without the facts that stand alone where the page is empty. */
export const rowsIn = <Facts, Row extends Identified>(
  listed: ReadonlyArray<Listed<Facts, Row>>
): ReadonlyArray<Facts & Row> => listed.filter((row) => hasRow<Facts, Row>(row))

/** Takes the facts that are alone on their row from the rows of a page. */
export const listPage = <Facts extends Total, Row extends Identified>(
  listed: ReadonlyArray<Listed<Facts, Row>>
): ListPage<Facts, Row> => ({
  facts: listed[0],
  total: listed[0]?.total ?? 0,
  rows: rowsIn<Facts, Row>(listed)
})

/** A statement that is kept prepared only if `isPrepared`, as where texts are many none of them should be. */
const keptIf = <Row>(isPrepared: boolean, statement: Statement.Statement<Row>) =>
  isPrepared ? statement : statement.unprepared

/** Facts that are known, as a query. */
const known = (sql: SqlClient.SqlClient, facts: object): Statement.Fragment =>
  sql`select ${sql.join(
    ", ",
    false
  )(
    Object.entries(facts).map(
      ([name, value]) =>
        sql`${value}::${sql.literal(typeof value === "number" ? "int" : "text")} as ${sql(name)}`
    )
  )}`

/** How the rows of a list are read, whatever its statements are. */
export interface PageReading<Facts, Row extends Identified> {
  readonly page: number
  readonly pageSize: number
  /** Whether the facts are read first for pages near the start, too. */
  readonly countsFirst?: boolean
  readonly isPrepared?: boolean
  readonly facts: Statement.Statement<Facts>
  readonly standingOf: (facts: Facts) => Standing
  /** A statement for the rows of a span, beside these facts or, if undefined, those that the statement reads itself. */
  readonly rows: (
    span: PageSpan,
    facts: Statement.Fragment | undefined
  ) => Statement.Statement<Listed<Facts, Row>>
}

/** The rows of a page as if each took one place; where large rows take more, only the facts. */
export const readPage = <Facts extends object, Row extends Identified>(
  sql: SqlClient.SqlClient,
  { countsFirst = false, facts, isPrepared = true, page, pageSize, rows, standingOf }: PageReading<Facts, Row>
): Effect.Effect<ReadonlyArray<Listed<Facts, Row>>> =>
  page <= fewPages && !countsFirst
    ? all(keptIf(isPrepared, rows(wholePage(page, pageSize), undefined)))
    : Effect.flatMap(first(keptIf(isPrepared, facts)), (found) => {
        if (found === undefined) return Effect.succeed([])
        const { extra, total } = standingOf(found)
        const span = spanOf(page, pageSize, total)
        if (span.size === 0 || extra > 0) return Effect.succeed([{ ...found, id: null }])
        return Effect.map(all(keptIf(isPrepared, rows(span, known(sql, found)))), (listed) =>
          // The page nearest to the end may be a short one, and whole ones are read.
          span.backwards ? listed.slice(-span.size) : listed.slice(0, span.size)
        )
      })

/** A list of rows of a table. */
export interface ListShape {
  readonly table: string
  /** The name of a row of the table in conditions, columns and the order. */
  readonly row: string
  readonly columns: string
  readonly order: RowOrder
  readonly pageSize: number
  /** About how many bytes of an answer a row takes, as in `RowSizes`; absent where no row is large. */
  readonly size?: string
  /**
   * Whether all columns, which include those of the order, are read where the order is. Otherwise the ids of a page
   * are found in an index first, so that no row is read only to be passed over.
   */
  readonly isNarrow?: boolean
}

/** Which rows of the table a list has. */
export interface ListQuery {
  readonly page: number
  /** Table expressions that the rest names, each with a comma after it. */
  readonly given?: Statement.Fragment
  readonly conditions: ReadonlyArray<Statement.Fragment>
  /** One row with the `total` and what else is true of the list; all rows are counted if absent. */
  readonly facts?: Statement.Fragment
  /** Where rows are found instead of the table itself: in several parts, of each so many in this order. */
  readonly source?: (order: Statement.Fragment, most: Statement.Fragment) => Statement.Fragment
  /** Columns beside those of the shape. */
  readonly columns?: Statement.Fragment
  /** What is joined to the rows of a page. */
  readonly joins?: Statement.Fragment
  readonly isPrepared?: boolean
}

/** The facts of a list, with how many places large rows take beyond one each, where rows may be large. */
type Known<Facts> = Facts & { readonly extra?: number }

/** Makes a reader of the pages of a list. */
export const pagedList = <Row extends Identified, Facts extends Total = Total>(shape: ListShape) => {
  const { order, pageSize, row } = shape
  const forwards = orderText(order, false)
  const table = `${shape.table} ${row}`
  const sizes = shape.size === undefined ? undefined : { table, id: `${row}.id`, size: shape.size, pageSize }
  const found = shape.isNarrow ? shape.columns : `${row}.id`
  const shown = shape.isNarrow ? `page ${row}` : `(page join ${table} on ${row}.id = page.id)`
  const onFacts = sizes === undefined ? "true" : "facts.extra = 0"

  /** The rows that a query for `page` finds. */
  const beside = (
    sql: SqlClient.SqlClient,
    query: ListQuery,
    page: Statement.Fragment,
    facts: Statement.Fragment
  ) =>
    sql<Listed<Known<Facts>, Row>>`with ${query.given ?? sql.literal("")} page as materialized (${page})
      select facts.*, ${sql.literal(shape.columns)} ${query.columns ?? sql.literal("")}
      from (${facts}) facts left join ${sql.literal(shown)} on ${sql.literal(onFacts)} ${query.joins ?? sql.literal("")}
      order by ${sql.literal(forwards)}`

  /** The rows of a span; a constant limit, and no offset where there is none, tell the planner how few are read. */
  const spanned = (sql: SqlClient.SqlClient, query: ListQuery, { backwards, offset }: PageSpan) => {
    const inOrder = sql.literal(`order by ${orderText(order, backwards)}`)
    const source = query.source?.(inOrder, sql`limit ${offset + pageSize}::bigint`)
    return sql`select ${sql.literal(found)} from ${
      source ?? sql`${sql.literal(table)} where ${sql.and(query.conditions)}`
    } ${inOrder} ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} ${sql.literal(`limit ${pageSize}`)}`
  }

  /** The facts, with the extra places of large rows where rows may be large. */
  const factsOf = (sql: SqlClient.SqlClient, { conditions, facts }: ListQuery) => {
    const counted =
      facts ?? sql`select count(*)::int as total from ${sql.literal(table)} where ${sql.and(conditions)}`
    return sizes === undefined
      ? counted
      : sql`select counted.*, ${extraPlaces(sql, sizes, conditions)} as extra from (${counted}) counted`
  }

  const standingOf = ({ extra = 0, total }: Known<Facts>): Standing => ({ extra, total })

  /** What was read of a page if no row takes more than one place. */
  const placed = (
    sql: SqlClient.SqlClient,
    query: ListQuery,
    listed: ReadonlyArray<Listed<Known<Facts>, Row>>
  ) => {
    const [any] = listed
    if (sizes === undefined || any === undefined || (any.extra ?? 0) === 0) return Effect.succeed(listed)
    const standing = { ...standingOf(any), page: query.page }
    return Effect.flatMap(placedPage(sql, sizes, { ...query, order }, standing), ({ ids, total }) =>
      all(
        beside(sql, query, sql`select id from unnest(${ids}::text[]) id`, known(sql, { total, extra: 0 }))
          .unprepared
      )
    )
  }

  /** A page of a list. */
  const page = (sql: SqlClient.SqlClient, query: ListQuery): Effect.Effect<ListPage<Known<Facts>, Row>> => {
    const facts = factsOf(sql, query)
    const counting =
      query.given === undefined ? facts : sql`with ${query.given} facts as (${facts}) select * from facts`
    const listed = readPage<Known<Facts>, Row>(sql, {
      page: query.page,
      pageSize,
      ...(query.isPrepared === undefined ? {} : { isPrepared: query.isPrepared }),
      facts: sql<Known<Facts>>`${counting}`,
      standingOf,
      rows: (span, found) => beside(sql, query, spanned(sql, query, span), found ?? facts)
    })
    return Effect.map(
      Effect.flatMap(listed, (rows) => placed(sql, query, rows)),
      (rows) => listPage<Known<Facts>, Row>(rows)
    )
  }

  /**
   * A page of the rows that a text selects, in time: all of them, or the first `most`, are found to count them, in a
   * statement that is planned for each text, as plans for any text read the whole table.
   */
  const search = (
    sql: SqlClient.SqlClient,
    query: Pick<ListQuery, "page" | "conditions" | "joins"> & { readonly most?: number }
  ): Effect.Effect<ListPage<Known<Facts>, Row>, SearchTookTooLong> => {
    const columns = shape.isNarrow
      ? shape.columns
      : [...new Set([`${row}.id`, ...order.map(([column]) => column)])].join(", ")
    const first =
      query.most === undefined ? sql.literal("") : sql.literal(`order by ${forwards} limit ${query.most}`)
    const matching = {
      ...query,
      given: sql`found as materialized (
        select ${sql.literal(columns)} from ${sql.literal(table)} where ${sql.and(query.conditions)} ${first}),`,
      conditions: [sql`${sql.literal(`${row}.id`)} = any(array(select id from found))`],
      facts: sql`select count(*)::int as total from found`,
      source: () => sql.literal(`found ${row}`)
    }
    const span = wholePage(query.page, pageSize)
    const listed = all(beside(sql, matching, spanned(sql, matching, span), factsOf(sql, matching)).unprepared)
    return Effect.map(
      withinSearchTime(Effect.flatMap(listed, (rows) => placed(sql, matching, rows))),
      (rows) => listPage<Known<Facts>, Row>(rows)
    )
  }

  return { page, search } as const
}
