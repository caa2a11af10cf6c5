/** Where in a list an answer begins: at a numbered page, or after the last row that a walk by cursors has shown. */
import { Effect, Schema } from "effect"
import * as Text from "../field/Text.ts"
import { type PageEnvelope, PageQuery, pageEnvelope } from "./Page.ts"
import { Problem } from "./Problem.ts"

/**
 * Which row a list goes on after: the values of all that its order compares, as PostgreSQL writes them, so that instants
 * keep their microseconds. A list may begin with what else a walk has to know.
 */
export type RowKey = ReadonlyArray<string>

export interface ListPlace {
  /** The number of the page; in a walk by cursors, how many pages it has had with this one. */
  readonly page: number
  /** The last row that the walk has shown; absent where a page is asked for by its number. */
  readonly after?: RowKey
  /** How the list answers cursors; absent where it is a part of another answer. */
  readonly cursors?: Cursors
}

/** How a list answers cursors and refuses those that it did not answer. */
export interface Cursors {
  /** The cursor of what comes after a row, whose page has this number. */
  readonly write: (after: RowKey, page: number) => string
  /** Refuses the request, whose cursor has no values of this list. */
  readonly refuse: Effect.Effect<never>
}

/** How much a list has, as a page of it is read. */
export interface ListExtent {
  /** How many rows all pages have; where large rows take several places, their places. */
  readonly total: number
  /** The last row of the page, if the list has more after it. */
  readonly next?: RowKey | undefined
}

/** A numbered page of a list that is a part of another answer, and has no cursors. */
export const numberedPage = (page: number): ListPlace => ({ page })

/** The page that a list begins with, without cursors. */
export const firstPage = numberedPage(1)

/** The cursor of what comes after a page, if there is more. */
export const nextCursor = (
  { cursors, page }: ListPlace,
  next: RowKey | undefined
): { readonly next_cursor?: string } =>
  cursors === undefined || next === undefined ? {} : { next_cursor: cursors.write(next, page + 1) }

/**
 * The numbers of a page with `results` items. In a walk by cursors the next page is there if and only if there is more,
 * whatever was inserted or removed before it since the walk began.
 */
export const listEnvelope = ({
  next,
  place,
  results,
  size,
  total
}: ListExtent & {
  readonly place: ListPlace
  readonly size: number
  readonly results: number
}): PageEnvelope => {
  const { next_page, ...envelope } = pageEnvelope({ current: place.page, size, total, results })
  const hasNext = place.after === undefined ? next_page !== undefined : next !== undefined
  return {
    ...envelope,
    ...(hasNext ? { next_page: place.page + 1 } : {}),
    ...nextCursor(place, next)
  }
}

/** Refuses a request whose cursor has other values than those of this list. */
export const refuseCursor = ({ cursors }: ListPlace): Effect.Effect<never> =>
  cursors?.refuse ?? Effect.die(new Error("A list without cursors was given one"))

/** The longest cursor: the longest name there is, in base64. */
export const cursorMax = 4096

/** Query parameter `cursor`. */
export const CursorQuery = Text.term({
  max: cursorMax,
  description:
    "Goes on after the page whose `next_cursor` this is, whatever was inserted or removed since. It is for the same list with the same parameters, and not together with `page`."
})

/** The query parameters that every list in pages has. */
export const pagedQuery = {
  page: Schema.optionalKey(PageQuery),
  cursor: Schema.optionalKey(CursorQuery)
}

export class CursorMismatch extends Problem<CursorMismatch>()("CursorMismatch", {
  status: 400,
  title: "The cursor is of another list",
  explanation:
    "A cursor goes on in the list that answered it, with the same parameters. Begin the list again without a cursor."
}) {}
