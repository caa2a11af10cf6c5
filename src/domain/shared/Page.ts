/** Lists in numbered pages. */
import { Schema } from "effect"
import * as Text from "../field/Text.ts"

/** Query parameter `page`: anything that is not a positive whole number means the first page. */
export const PageQuery = Text.term({
  max: 255,
  description: "Page number, 1-based. Anything that is not a positive whole number means the first page.",
  examples: ["1"]
})

/** The requested page. Numbers too large to be a page mean the first one. */
export const pageNumber = (text: string | undefined): number => {
  if (text === undefined || !/^\d{1,14}$/.test(text)) return 1
  return Math.max(1, Number(text))
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The fields of every page beside its items. */
export const PageFields = {
  page_size: Count.annotate({
    description:
      "The places of a page: as many items as it has at most. A large item may take several places."
  }),
  results: Count.annotate({ description: "Items on this page" }),
  total_pages: Count.annotate({
    description: "Number of pages, which show every item once; 0 when nothing matches"
  }),
  current_page: Count.annotate({
    description: "The requested page, even past the end; in a walk by cursors, how many pages it has had"
  }),
  next_page: Schema.optionalKey(Count.annotate({ description: "Absent on the last page and past the end" })),
  next_cursor: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "What to send as `cursor` for what comes after this page; absent where nothing does. The header `Link` has the whole address."
    })
  )
}

export interface PageEnvelope {
  readonly page_size: number
  readonly results: number
  readonly total_pages: number
  readonly current_page: number
  readonly next_page?: number
  readonly next_cursor?: string
}

/** The envelope's numbers for `results` items of `total` on page `current`. */
export const pageEnvelope = (options: {
  readonly current: number
  readonly size: number
  readonly total: number
  readonly results: number
}): PageEnvelope => {
  const pages = Math.ceil(options.total / options.size)
  return {
    page_size: options.size,
    results: options.results,
    total_pages: pages,
    current_page: options.current,
    ...(options.current < pages ? { next_page: options.current + 1 } : {})
  }
}

/** The envelope of a list that always has one page. */
export const singlePage = (count: number): PageEnvelope => ({
  page_size: count,
  results: count,
  total_pages: 1,
  current_page: 1
})
