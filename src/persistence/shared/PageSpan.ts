/** Which rows make a page of a list, when the list is read by its order. */

/** The last page that is read from the start of a list, however long the list is. */
export const fewPages = 20

/**
 * How the rows of a page are read: from which end of the list, how many are passed over, and how many are of the page.
 */
export interface PageSpan {
  readonly backwards: boolean
  readonly offset: number
  readonly size: number
}

/** The span of a page; far pages are read from the nearer end of a list of `total` rows. */
export const spanOf = (page: number, pageSize: number, total: number): PageSpan => {
  const offset = (page - 1) * pageSize
  const size = Math.max(0, Math.min(pageSize, total - offset))
  const after = Math.max(0, total - offset - size)
  return page <= fewPages || offset <= after
    ? { backwards: false, offset, size }
    : { backwards: true, offset: after, size }
}

/** A whole page from the start of the list. */
export const wholePage = (page: number, pageSize: number): PageSpan => ({
  backwards: false,
  offset: (page - 1) * pageSize,
  size: pageSize
})
