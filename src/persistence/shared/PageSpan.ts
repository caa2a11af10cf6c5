/** Which rows of a list make a page. */

/** Up to here the pages of a list are read from its start. */
export const fewPages = 20

/** Far pages are counted from the nearer end of a list of `total`. */
export const spanOf = (page: number, pageSize: number, total: number) => {
  const offset = (page - 1) * pageSize
  const size = Math.max(0, Math.min(pageSize, total - offset))
  const after = Math.max(0, total - offset - size)
  return page <= fewPages || offset <= after
    ? { backwards: false, offset, size }
    : { backwards: true, offset: after, size }
}
