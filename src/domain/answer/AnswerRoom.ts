/**
 * How much an answer shows. It has room for about 2 MiB. A list with pages has fewer rows on those where rows are
 * large; a list without pages leaves parts of rows out, and says which. Pure.
 */

/** Bytes that an answer has room for, about. */
export const room = 2 * 1024 * 1024

/**
 * Pages of lists are numbered, and a page has so many places as it has rows at most. A row that takes more than its
 * share of the room takes several places, so that a page shows those rows whose first place it has, all of them whole:
 * no row is left out, and none is shown twice. A row that is larger than the room takes all places of a page.
 */
export const placesOf = (size: number, pageSize: number): number =>
  Math.max(1, Math.min(pageSize, Math.ceil((size * pageSize) / room)))

/**
 * How many of its parts each row shows where not all parts fit. The sizes of a row are those of its parts, from
 * what is kept longest to what is left out first: as long as a part does not fit into what those before it leave of
 * the room, later rows lack it, and all rows lack what comes after it.
 */
export const partsShown = (
  rows: ReadonlyArray<ReadonlyArray<number>>,
  available: number
): ReadonlyArray<number> => {
  const parts = Math.max(0, ...rows.map((sizes) => sizes.length))
  const shown = rows.map(() => 0)
  let left = available
  for (let part = 0; part < parts && left >= 0; part++) {
    for (const [row, sizes] of rows.entries()) {
      left -= sizes[part] ?? 0
      if (left < 0) break
      shown[row] = part + 1
    }
  }
  return shown
}

/** The first items that fit into the room of an answer together, and one at least. */
export const firstFitting = <Item>(
  items: ReadonlyArray<Item>,
  sizeOf: (item: Item) => number,
  available = room
): ReadonlyArray<Item> => {
  let left = available
  const end = items.findIndex((item) => {
    left -= sizeOf(item)
    return left < 0
  })
  return end < 0 ? items : items.slice(0, Math.max(1, end))
}
