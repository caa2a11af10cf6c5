/**
 * Lists in pages. A page is read together with the facts of its list: how many rows it has, and whatever else is true of
 * all of it. An empty page has one row with the facts alone. Numbered pages near the start are read in one statement; of
 * far ones the facts are read first, and then the rows from the nearer end. What comes after a row is read by the index
 * of the order, from that row on.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ListExtent, ListPlace, RowKey } from "../../domain/shared/ListPlace.ts"
import type { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { placedAfter, placedPage, type Standing } from "./LargeRows.ts"
import { listStatements } from "./ListStatements.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "./PageSpan.ts"
import { all, first } from "./Query.ts"
import { checkKey, type RowOrder } from "./RowOrder.ts"
import { withinSearchTime } from "./Searching.ts"

/** A row beside the facts of its list, or the facts alone. */
export type Listed<Facts, Row extends Identified> = Facts & (Row | { readonly id: null })

export interface Total {
  readonly total: number
}

export interface Identified {
  readonly id: string
  /** Where the row stands in the order of its list, if that was read. */
  readonly row_key?: RowKey
}

/** What was read of a list for one page. */
export interface ListPage<Facts, Row extends Identified> extends ListExtent {
  /** The facts of the list; undefined if there is no such list. */
  readonly facts: Facts | undefined
  readonly rows: ReadonlyArray<Facts & Row>
}

const hasRow = <Facts, Row extends Identified>(row: Listed<Facts, Row>): row is Facts & Row => row.id !== null

/** The rows of a page, without the facts that stand alone where the page is empty. */
export const rowsIn = <Facts, Row extends Identified>(
  listed: ReadonlyArray<Listed<Facts, Row>>
): ReadonlyArray<Facts & Row> => listed.filter((row) => hasRow<Facts, Row>(row))

/** Takes the facts that are alone on their row from the rows of a page, after which there may be more. */
export const listPage = <Facts extends Total, Row extends Identified>(
  listed: ReadonlyArray<Listed<Facts, Row>>,
  hasMore = false
): ListPage<Facts, Row> => {
  const rows = rowsIn<Facts, Row>(listed)
  return {
    facts: listed[0],
    total: listed[0]?.total ?? 0,
    next: hasMore ? rows.at(-1)?.row_key : undefined,
    rows
  }
}

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
  readonly place: ListPlace
  /** Table expressions that the rest names, each with a comma after it. */
  readonly given?: Statement.Fragment
  readonly conditions: ReadonlyArray<Statement.Fragment>
  /** One row with the `total` and what else is true of the list; all rows are counted if absent. */
  readonly facts?: Statement.Fragment
  /**
   * Where rows are found instead of the table itself: in several parts, of each so many in this order that fulfil this
   * condition on the columns of the order.
   */
  readonly source?: (
    order: Statement.Fragment,
    most: Statement.Fragment,
    after: Statement.Fragment
  ) => Statement.Fragment
  /** Columns beside those of the shape. */
  readonly columns?: Statement.Fragment
  /** What is joined to the rows of a page. */
  readonly joins?: Statement.Fragment
  readonly isPrepared?: boolean
}

/** The facts of a list, with how many places large rows take beyond one each, where rows may be large. */
type Known<Facts> = Facts & { readonly extra?: number }

/** What is read of a page, after which there may be more. */
interface Read<Facts, Row extends Identified> {
  readonly listed: ReadonlyArray<Listed<Facts, Row>>
  readonly hasMore: boolean
}

/** Makes a reader of the pages of a list. */
export const pagedList = <Row extends Identified, Facts extends Total = Total>(shape: ListShape) => {
  const { order, pageSize } = shape
  const statements = listStatements<Row, Known<Facts>>(shape)
  const { beside, factsOf, searched, sizes, spanned, spannedAfter } = statements

  const standingOf = ({ extra = 0, total }: Known<Facts>): Standing => ({ extra, total })

  type Listing = ReadonlyArray<Listed<Known<Facts>, Row>>

  /** The rows with these ids beside the facts, of which there is only the number of places. */
  const byIds = (sql: SqlClient.SqlClient, query: ListQuery, ids: ReadonlyArray<string>, total: number) =>
    all(
      beside(sql, query, sql`select id from unnest(${ids}::text[]) id`, known(sql, { total, extra: 0 }))
        .unprepared
    )

  /** A numbered page, of which these rows were read as if no row took more than one place. */
  const numbered = (sql: SqlClient.SqlClient, query: ListQuery, listed: Listing) => {
    const { page } = query.place
    const read = (rows: Listing): Read<Known<Facts>, Row> => ({
      listed: rows,
      hasMore: (rows[0]?.total ?? 0) > page * pageSize
    })
    const [any] = listed
    if (sizes === undefined || any === undefined || (any.extra ?? 0) === 0)
      return Effect.succeed(read(listed))
    return Effect.flatMap(
      placedPage(sql, sizes, { ...query, order }, { ...standingOf(any), page }),
      ({ ids, total }) => Effect.map(byIds(sql, query, ids, total), read)
    )
  }

  /** What comes after a row, where these rows, one more than a page has, were read as if none took more than one place. */
  const following = (sql: SqlClient.SqlClient, query: ListQuery, after: RowKey, listed: Listing) => {
    const [any] = listed
    if (sizes === undefined || any === undefined || (any.extra ?? 0) === 0)
      return Effect.succeed<Read<Known<Facts>, Row>>({
        listed: listed.slice(0, pageSize),
        hasMore: listed.length > pageSize
      })
    return Effect.flatMap(
      placedAfter(sql, sizes, { ...query, order }, { ...standingOf(any), after }),
      ({ hasMore, ids, total }) =>
        Effect.map(
          byIds(sql, query, ids, total),
          (rows): Read<Known<Facts>, Row> => ({ listed: rows, hasMore })
        )
    )
  }

  const paged = ({ hasMore, listed }: Read<Known<Facts>, Row>) => listPage<Known<Facts>, Row>(listed, hasMore)

  /** A page of a list. */
  const page = (sql: SqlClient.SqlClient, query: ListQuery): Effect.Effect<ListPage<Known<Facts>, Row>> => {
    const { isPrepared = true, place } = query
    const facts = factsOf(sql, query)
    const { after } = place
    if (after !== undefined) {
      const read = Effect.suspend(() =>
        all(keptIf(isPrepared, beside(sql, query, spannedAfter(sql, query, after), facts)))
      )
      return checkKey(order, place).pipe(
        Effect.andThen(read),
        Effect.flatMap((listed) => following(sql, query, after, listed)),
        Effect.map(paged)
      )
    }
    const counting =
      query.given === undefined ? facts : sql`with ${query.given} facts as (${facts}) select * from facts`
    const listed = readPage<Known<Facts>, Row>(sql, {
      page: place.page,
      pageSize,
      isPrepared,
      facts: sql<Known<Facts>>`${counting}`,
      standingOf,
      rows: (span, found) => beside(sql, query, spanned(sql, query, span), found ?? facts)
    })
    return Effect.map(
      Effect.flatMap(listed, (rows) => numbered(sql, query, rows)),
      paged
    )
  }

  /**
   * A page of the rows that a text selects, in time: all of them, or the first `most`, are found to count them, in a
   * statement that is planned for each text, as plans for any text read the whole table.
   */
  const search = (
    sql: SqlClient.SqlClient,
    query: Pick<ListQuery, "place" | "conditions" | "joins"> & { readonly most?: number }
  ): Effect.Effect<ListPage<Known<Facts>, Row>, SearchTookTooLong> => {
    const { place } = query
    const { after } = place
    const matching = searched(sql, query)
    const found =
      after === undefined
        ? spanned(sql, matching, wholePage(place.page, pageSize))
        : spannedAfter(sql, matching, after)
    const listed = all(beside(sql, matching, found, factsOf(sql, matching)).unprepared)
    const read = Effect.flatMap(listed, (rows) =>
      after === undefined ? numbered(sql, matching, rows) : following(sql, matching, after, rows)
    )
    return Effect.andThen(checkKey(order, place), Effect.map(withinSearchTime(read), paged))
  }

  return { page, search } as const
}
